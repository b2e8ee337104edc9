//! The `curl` command of an operation.

use http::Method;
use serde_json::json;

use crate::{
    contract::{
        endpoint::{Access, Endpoint, TimeoutClass},
        examples,
    },
    http::path::BASE,
};

/// Returns the `curl` command that calls an operation with its examples.
pub(crate) fn command(endpoint: &Endpoint, api: &str) -> String {
    let mut path = endpoint.path.as_str().to_owned();
    for name in endpoint.path.params() {
        let value = examples::path_param(endpoint.path.as_str(), name);
        path = path.replace(&format!("{{{name}}}"), value);
    }
    if endpoint.access == Access::Signed && !endpoint.query.is_empty() {
        let query: Vec<_> = endpoint.query.iter().map(|param| format!("{0}=${0}", param.name)).collect();
        path = format!("{path}?{}", query.join("&"));
    }
    if let Some(query) = endpoint.examples.query {
        path = format!("{path}?{query}");
    }
    let mut parts = vec!["curl".to_owned()];
    if endpoint.timeout_class == TimeoutClass::Stream {
        parts.push("-N".to_owned());
    }
    // `--json` and `--data-binary` mean POST by themselves.
    if endpoint.method != Method::GET && !(endpoint.method == Method::POST && endpoint.body.is_some()) {
        parts.push(format!("-X {}", endpoint.method));
    }
    parts.push(format!("\"{api}{path}\""));
    match endpoint.access {
        Access::Key(_) => parts.push("-H \"Authorization: Bearer $SCAN_API_KEY\"".to_owned()),
        Access::Session => parts.push("--cookie \"scan_session=$SCAN_SESSION\"".to_owned()),
        Access::Signed => {
            for param in endpoint.headers.iter().filter(|param| param.required) {
                let variable = param.name.to_uppercase().replace('-', "_");
                parts.push(format!("-H \"{}: ${variable}\"", param.name));
            }
        }
        Access::Public | Access::OwnPages => {}
    }
    if matches!(endpoint.access, Access::Session | Access::OwnPages) && !endpoint.method.is_safe() {
        let origin = api.strip_suffix(BASE).unwrap_or(api);
        parts.push(format!("-H \"Origin: {origin}\""));
    }
    if let Some(param) = endpoint.headers.iter().find(|param| param.name == "Idempotency-Key") {
        parts.push(format!("-H \"{}: $(uuidgen)\"", param.name));
    }
    match &endpoint.body {
        Some(body) if body.media_types == ["application/json"] => {
            let example = endpoint.examples.request.clone().unwrap_or_else(|| json!({}));
            parts.push(format!("--json {}", shell_quote(&example.to_string())));
        }
        Some(body) => {
            let media_type = body.media_types[0];
            let file = media_type.replace('/', ".");
            parts.push(format!("-H \"Content-Type: {media_type}\""));
            parts.push(format!("--data-binary @{file}"));
        }
        None => {}
    }
    join_lines(&parts)
}

/// Quotes text for a shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Joins the parts in one line if they fit, else with one option per line.
fn join_lines(parts: &[String]) -> String {
    let line = parts.join(" ");
    if line.len() <= 80 {
        return line;
    }
    let options = parts.iter().position(|part| part.starts_with('"')).map_or(parts.len(), |at| at + 1);
    let (head, tail) = parts.split_at(options);
    let mut text = head.join(" ");
    for option in tail {
        text.push_str(" \\\n  ");
        text.push_str(option);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_text_is_quoted() {
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
    }
}
