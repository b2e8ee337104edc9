//! The parts of the OpenAI protocol that this client reads.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::EndpointError;

/// Response of `chat/completions`.
#[derive(Debug, Deserialize)]
pub(super) struct Completion {
    pub(super) choices: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub(super) message: Message,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) content: Option<String>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
}

/// Token counts of the server.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Used {
    #[serde(default, alias = "input_tokens")]
    pub(super) prompt_tokens: u64,
    #[serde(default, alias = "output_tokens")]
    pub(super) completion_tokens: u64,
}

/// Response of `audio/transcriptions` in the format `verbose_json`.
#[derive(Debug, Deserialize)]
pub(super) struct Transcription {
    #[serde(default)]
    pub(super) segments: Vec<Segment>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Segment {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) text: String,
    #[serde(default)]
    pub(super) avg_logprob: Option<f64>,
}

/// Response of `embeddings`.
#[derive(Debug, Deserialize)]
pub(super) struct Embeddings {
    pub(super) data: Vec<Embedding>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Embedding {
    pub(super) index: usize,
    pub(super) embedding: Vec<f32>,
}

impl Completion {
    /// Returns the text of the first choice if the model finished it.
    pub(super) fn content(&self) -> Result<&str, EndpointError> {
        let invalid = |reason: &str| EndpointError::InvalidResponse(reason.to_owned());
        let choice = self.choices.first().ok_or_else(|| invalid("the response has no choice"))?;
        if choice.message.refusal.is_some() || choice.finish_reason.as_deref() == Some("content_filter") {
            return Err(EndpointError::Refused);
        }
        if choice.finish_reason.as_deref() == Some("length") {
            return Err(invalid("the response was cut off"));
        }
        choice.message.content.as_deref().filter(|c| !c.trim().is_empty()).ok_or(EndpointError::Refused)
    }
}

/// Parses a response.
pub(super) fn parse<T: DeserializeOwned>(response: Value) -> Result<T, EndpointError> {
    serde_json::from_value(response).map_err(|error| EndpointError::InvalidResponse(error.to_string()))
}

/// Returns the JSON of a response that a model without JSON Schema put between code fences.
pub(super) fn without_fence(content: &str) -> &str {
    let content = content.trim();
    let inner = content.strip_prefix("```json").or_else(|| content.strip_prefix("```"));
    inner.and_then(|inner| inner.strip_suffix("```")).unwrap_or(content)
}
