//! Chat requests, with the parameters that the model accepts.
//!
//! Models of one protocol differ: some want `max_completion_tokens` instead of `max_tokens`, refuse a
//! temperature, or know no JSON Schema. A refused parameter is replaced, and remembered for the
//! following requests of the process.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::{EndpointError, budget::Spending, client::Client};
use crate::CancelFlag;

/// Words by which servers refuse a parameter or its value. An error without one of them, for example
/// about a limit, is no refusal.
const REFUSALS: [&str; 10] = [
    "unsupported",
    "not supported",
    "does not support",
    "unrecognized",
    "unknown",
    "unexpected",
    "not permitted",
    "not allowed",
    "extra inputs",
    "extra fields",
];

/// Parameters that a model accepts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Accepted {
    /// Whether the limit of tokens has its newer name.
    newer_limit: bool,
    no_temperature: bool,
    format: Format,
}

/// Form in which a response is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Format {
    #[default]
    Schema,
    Json,
    /// The instructions alone ask for JSON.
    Text,
}

/// What is known about the chat models of an endpoint, by their names.
#[derive(Debug, Clone, Default)]
pub(super) struct ChatParameters(Arc<Mutex<std::collections::BTreeMap<String, Accepted>>>);

impl ChatParameters {
    /// Sends a chat request with `temperature`, `max_tokens` and perhaps `response_format`, and again
    /// without what the model refuses.
    ///
    /// # Errors
    /// Returns the error of the last request.
    pub(super) fn post(
        &self,
        client: &Client,
        request: &Value,
        cancel: &CancelFlag,
        spending: &mut Spending,
    ) -> Result<Value, EndpointError> {
        let model = request["model"].as_str().unwrap_or_default();
        loop {
            let accepted = self.lock().get(model).copied().unwrap_or_default();
            let outcome = client.post_json("chat/completions", &accepted.apply(request), cancel, spending);
            let Err(EndpointError::Rejected(_, reason)) = &outcome else { return outcome };
            let Some(other) = accepted.without_refused(reason) else { return outcome };
            tracing::info!(model, ?other, "the model refuses a parameter");
            self.lock().insert(model.to_owned(), other);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeMap<String, Accepted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Accepted {
    fn apply(self, request: &Value) -> Value {
        let mut request = request.clone();
        let Some(fields) = request.as_object_mut() else { return request };
        if self.newer_limit
            && let Some(limit) = fields.remove("max_tokens")
        {
            fields.insert("max_completion_tokens".to_owned(), limit);
        }
        if self.no_temperature {
            fields.remove("temperature");
        }
        match self.format {
            Format::Schema => {}
            Format::Json if fields.contains_key("response_format") => {
                fields.insert("response_format".to_owned(), json!({ "type": "json_object" }));
            }
            Format::Json | Format::Text => {
                fields.remove("response_format");
            }
        }
        request
    }

    /// Returns what to send instead after a refusal, or `None` if the reason names no parameter that
    /// can be replaced. Each parameter is replaced at most twice, so this ends.
    fn without_refused(self, reason: &str) -> Option<Accepted> {
        let reason = reason.to_lowercase();
        if !REFUSALS.iter().any(|words| reason.contains(words)) {
            return None;
        }
        let names = |parameter: &str| reason.contains(parameter);
        if names("temperature") && !self.no_temperature {
            return Some(Accepted { no_temperature: true, ..self });
        }
        if names("max_tokens") && !self.newer_limit {
            return Some(Accepted { newer_limit: true, ..self });
        }
        if names("response_format") || names("json_schema") || names("json_object") {
            let format = match self.format {
                Format::Schema => Format::Json,
                Format::Json => Format::Text,
                Format::Text => return None,
            };
            return Some(Accepted { format, ..self });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_parameters_are_replaced_and_limits_are_not() {
        let first = Accepted::default();
        let newer = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let newer = first.without_refused(newer).unwrap();
        let cold = newer
            .without_refused("Unsupported value: 'temperature' does not support 0 with this model.")
            .unwrap();
        let request = json!({ "model": "m", "temperature": 0, "max_tokens": 9, "response_format": { "type": "json_schema" } });
        assert_eq!(
            cold.apply(&request),
            json!({ "model": "m", "max_completion_tokens": 9, "response_format": { "type": "json_schema" } })
        );
        let json_only = cold.without_refused("response_format json_schema is not supported").unwrap();
        assert_eq!(json_only.apply(&request)["response_format"], json!({ "type": "json_object" }));
        let text = json_only.without_refused("response_format is not supported").unwrap();
        assert!(text.apply(&request).get("response_format").is_none());
        assert_eq!(text.without_refused("response_format is not supported"), None);
        assert_eq!(first.without_refused("max_tokens is too large: 4000 > 2048"), None);
        assert_eq!(first.without_refused("unknown model"), None);
    }
}
