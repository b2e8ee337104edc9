//! Checks every response against `openapi.json` and against rules for all responses.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

use api::contract::endpoint::Endpoint;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::app::Answer;

fn endpoints() -> &'static [Endpoint] {
    static ENDPOINTS: OnceLock<Vec<Endpoint>> = OnceLock::new();
    ENDPOINTS.get_or_init(api::routes::endpoints)
}

pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT
        .get_or_init(|| serde_json::to_value(api::contract::openapi::document(endpoints(), None)).unwrap())
}

/// Returns the endpoint of a request.
pub(crate) fn endpoint(method: &str, path_and_query: &str) -> Option<&'static Endpoint> {
    let path = path_and_query.split(['?', '#']).next().unwrap_or_default();
    let method = if method == "HEAD" { "GET" } else { method };
    endpoints().iter().find(|e| e.method.as_str() == method && e.path.matches(path).is_some())
}

/// Panics if a response violates the contract.
pub(crate) fn check(method: &str, path_and_query: &str, answer: &Answer) {
    let request_id = answer.header("x-request-id");
    assert!(request_id.parse::<domain::RequestId>().is_ok(), "no request id: {:?}", answer.headers);
    let path = path_and_query.split(['?', '#']).next().unwrap_or_default();
    let head = method == "HEAD";
    if path.starts_with("/console/") && answer.header("content-type").starts_with("text/html") {
        return; // A page for people, whose tests read it.
    }
    if answer.status >= 400 && !head {
        let error = &answer.body["error"];
        assert_eq!(error["request_id"], request_id, "{method} {path}: {}", answer.body);
        let known = domain::ApiErrorCode::ALL.iter().find(|code| error["code"] == code.as_str());
        let known = known.unwrap_or_else(|| panic!("unknown code in {}", answer.body));
        assert_eq!(known.status(), answer.status);
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    let Some(endpoint) = endpoint(method, path) else {
        // No operation: a 404, a 405, or the response to OPTIONS.
        assert!(matches!(answer.status, 404 | 405 | 204 | 429 | 200), "{method} {path}: {}", answer.status);
        return;
    };
    if answer.status >= 400 && !head {
        let code = &answer.body["error"]["code"];
        let may = endpoint.all_errors().iter().any(|known| *code == known.as_str());
        assert!(may, "{} may not answer {code}", endpoint.operation);
    }
    let operation = &document()["paths"][endpoint.path.as_str()][endpoint.method.as_str().to_lowercase()];
    let response = &operation["responses"][answer.status.to_string()];
    assert!(response.is_object(), "{} does not document {}", endpoint.operation, answer.status);
    let content = &response["content"];
    let Some(content) = content.as_object() else {
        assert!(answer.bytes.is_empty(), "{} answers a body: {:?}", endpoint.operation, answer.body);
        return;
    };
    let media_type = answer.header("content-type").split(';').next().unwrap_or_default().to_owned();
    let (_, content) = content
        .iter()
        .find(|(name, _)| **name == media_type)
        .unwrap_or_else(|| panic!("{} answers {media_type}", endpoint.operation));
    if media_type == "application/json" && !head {
        hold(endpoint.operation, &content["schema"], &answer.body);
    }
}

/// Panics if a value violates a schema of the document.
pub(crate) fn hold(operation: &str, schema: &Value, body: &Value) {
    let wrong = defects(schema, body);
    assert!(wrong.is_empty(), "{operation}: {wrong:#?} in {body:#}");
}

/// Returns the violations of a schema of the document.
pub(crate) fn defects(schema: &Value, value: &Value) -> Vec<String> {
    let validator = validator(schema);
    let wrong = validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path()));
    wrong.collect()
}

/// Returns the validator of a schema. Cached, because the document is large.
fn validator(schema: &Value) -> Arc<Validator> {
    static MADE: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let name = schema.to_string();
    if let Some(made) = MADE.lock().unwrap().get(&name) {
        return made.clone();
    }
    let mut whole = json!({ "components": document()["components"] });
    for (name, value) in schema.as_object().unwrap() {
        whole[name] = value.clone();
    }
    let made = Arc::new(jsonschema::draft202012::new(&whole).expect("a schema"));
    MADE.lock().unwrap().insert(name, made.clone());
    made
}
