//! How an operation is called from a shell.

use http::Method;
use serde_json::json;

use crate::{
    contract::{
        endpoint::{Access, Endpoint, Patience},
        examples,
    },
    http::path::BASE,
};

/// A line of shell that calls the operation, with its examples filled in.
pub(super) fn command(endpoint: &Endpoint, api: &str) -> String {
    let mut path = endpoint.path.as_str().to_owned();
    for name in endpoint.path.params() {
        let value = examples::path_param(endpoint.path.as_str(), name);
        path = path.replace(&format!("{{{name}}}"), value);
    }
    if endpoint.access == Access::Signed {
        let query: Vec<_> = endpoint.query.iter().map(|param| format!("{0}=${0}", param.name)).collect();
        path = format!("{path}?{}", query.join("&"));
    }
    let examples = examples::of(endpoint.operation);
    if let Some(query) = examples.query {
        path = format!("{path}?{query}");
    }
    let mut parts = vec!["curl".to_owned()];
    if endpoint.patience == Patience::Stream {
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
        Access::Public | Access::Signed | Access::OwnPages => {}
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
            let example = examples.request.unwrap_or_else(|| json!({}));
            parts.push(format!("--json {}", quoted(&example.to_string())));
        }
        Some(body) => {
            let media_type = body.media_types[0];
            let file = media_type.replace('/', ".");
            parts.push(format!("-H \"Content-Type: {media_type}\""));
            parts.push(format!("--data-binary @{file}"));
        }
        None => {}
    }
    wrapped(&parts)
}

/// In single quotes, as shells take any text.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// One option a line, where they are more than fit on one.
fn wrapped(parts: &[String]) -> String {
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
    fn commands_are_whole() {
        let endpoints = crate::routes::endpoints();
        let of = |operation: &str| {
            let endpoint = endpoints.iter().find(|endpoint| endpoint.operation == operation).unwrap();
            command(endpoint, "https://api.example.com/v1")
        };
        let create = of("createSpace");
        assert!(create.starts_with("curl \"https://api.example.com/v1/spaces\" \\\n  -H \"Authorization:"));
        assert!(create.contains("--json '{\"name\":\"Unit 4B\""), "{create}");
        assert!(of("cancelScan").starts_with("curl -X DELETE "));
        assert!(of("createKey").contains("-H \"Origin: https://api.example.com\""));
        assert!(
            of("putFrame").contains("/frames/0\"") && of("putFrame").contains("--data-binary @image.jpeg")
        );
        assert!(of("getMedia").contains("?expires=$expires&signature=$signature"));
        for endpoint in &endpoints {
            assert!(!command(endpoint, "https://x").contains(['{', '}']) || endpoint.body.is_some());
        }
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
