//! Checks every response against `openapi.json` and against rules for all responses.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

use api::contract::endpoint::Endpoint;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::app::ApiResponse;

fn endpoints() -> &'static [Endpoint] {
    static ENDPOINTS: OnceLock<Vec<Endpoint>> = OnceLock::new();
    ENDPOINTS.get_or_init(api::routes::endpoints)
}

/// Returns the contract as the service generates it.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT
        .get_or_init(|| serde_json::to_value(api::contract::openapi::document(endpoints(), None)).unwrap())
}

/// Returns the endpoint that handles a request.
pub(crate) fn endpoint(method: &str, path_and_query: &str) -> Option<&'static Endpoint> {
    let path = path_and_query.split(['?', '#']).next().unwrap_or_default();
    let method = if method == "HEAD" { "GET" } else { method };
    endpoints().iter().find(|e| e.method.as_str() == method && e.path.matches(path).is_some())
}

/// Panics if a response violates the contract.
pub(crate) fn check(method: &str, path_and_query: &str, response: &ApiResponse) {
    let request_id = response.header("x-request-id");
    assert!(request_id.parse::<domain::RequestId>().is_ok(), "no request id: {:?}", response.headers);
    let path = path_and_query.split(['?', '#']).next().unwrap_or_default();
    let head = method == "HEAD";
    let media_type = response.header("content-type").split(';').next().unwrap_or_default();
    if path.starts_with("/console") && media_type != "application/json" {
        return; // A page or a file of the console, with its own tests.
    }
    if response.status >= 400 && !head {
        let error = &response.body["error"];
        assert_eq!(error["request_id"], request_id, "{method} {path}: {}", response.body);
        let known = domain::ApiErrorCode::ALL.iter().find(|code| error["code"] == code.as_str());
        let known = known.unwrap_or_else(|| panic!("unknown code in {}", response.body));
        assert_eq!(known.status(), response.status);
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    let Some(endpoint) = endpoint(method, path) else {
        // No operation: a 404, a 405, or the response to OPTIONS.
        assert!(
            matches!(response.status, 404 | 405 | 204 | 429 | 200),
            "{method} {path}: {}",
            response.status
        );
        return;
    };
    if response.status >= 400 && !head {
        let code = &response.body["error"]["code"];
        let may_return = endpoint.all_errors().iter().any(|known| *code == known.as_str());
        assert!(may_return, "{} may not return {code}", endpoint.operation);
    }
    let operation = &document()["paths"][endpoint.path.as_str()][endpoint.method.as_str().to_lowercase()];
    let documented = &operation["responses"][response.status.to_string()];
    assert!(documented.is_object(), "{} does not document {}", endpoint.operation, response.status);
    let content = &documented["content"];
    let Some(content) = content.as_object() else {
        assert!(response.bytes.is_empty(), "{} returns a body: {:?}", endpoint.operation, response.body);
        return;
    };
    let media_type = response.header("content-type").split(';').next().unwrap_or_default().to_owned();
    let (_, content) = content
        .iter()
        .find(|(name, _)| **name == media_type)
        .unwrap_or_else(|| panic!("{} returns {media_type}", endpoint.operation));
    if media_type == "application/json" && !head {
        assert_valid(endpoint.operation, &content["schema"], &response.body);
    }
}

/// Panics if a value violates a schema of the contract.
pub(crate) fn assert_valid(operation: &str, schema: &Value, body: &Value) {
    let violations = violations(schema, body);
    assert!(violations.is_empty(), "{operation}: {violations:#?} in {body:#}");
}

/// Returns the violations of a schema of the contract.
pub(crate) fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let validator = validator(schema);
    let errors = validator.iter_errors(value);
    errors.map(|error| format!("{error} at {}", error.instance_path())).collect()
}

/// Returns the validator of a schema. Cached, because the document is large.
fn validator(schema: &Value) -> Arc<Validator> {
    static CACHE: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let name = schema.to_string();
    if let Some(cached) = CACHE.lock().unwrap().get(&name) {
        return cached.clone();
    }
    let mut with_components = json!({ "components": document()["components"] });
    for (name, value) in schema.as_object().unwrap() {
        with_components[name] = value.clone();
    }
    let validator = Arc::new(jsonschema::draft202012::new(&with_components).expect("a schema"));
    CACHE.lock().unwrap().insert(name, validator.clone());
    validator
}
