//! The committed contract is current, served and complete.

use std::collections::HashSet;

use serde_json::Value;

use crate::app::TestApp;

/// The committed contract.
const COMMITTED: &str = include_str!("../../../openapi.json");

#[test]
fn committed_document_is_current() {
    let current = api::contract::openapi::text(&api::routes::endpoints(), None);
    assert!(current == COMMITTED, "run `cargo run -p api --example openapi > openapi.json` and commit it");
}

#[tokio::test]
async fn committed_document_is_served() {
    let app = TestApp::start().await;
    let served = app.get("/v1/openapi.json").send().await.expect(200).body;
    assert_eq!(served["openapi"], "3.1.0");
    assert_eq!(served["servers"][0]["url"], format!("http://{}/v1", app.address));
    let mut committed: Value = serde_json::from_str(COMMITTED).unwrap();
    committed["servers"] = served["servers"].clone();
    assert!(served == committed, "the served document differs from the committed one");
    app.finish().await;
}

#[test]
fn every_operation_is_documented_completely() {
    let document: Value = serde_json::from_str(COMMITTED).unwrap();
    let mut operations = HashSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"]
                .as_str()
                .unwrap_or_else(|| panic!("{method} {path} has no operationId"));
            assert!(operations.insert(id.to_owned()), "{id} occurs twice");
            assert!(operation["summary"].as_str().is_some_and(|s| !s.is_empty()), "{id} has no summary");
            let statuses = operation["responses"].as_object().unwrap();
            assert!(statuses.keys().any(|s| s.starts_with('2')) && statuses.contains_key("429"), "{id}");
            for part in path.split('/').filter(|part| part.starts_with('{')) {
                let name = part.trim_matches(['{', '}']);
                let declared = operation["parameters"].as_array().unwrap();
                assert!(declared.iter().any(|p| p["name"] == name && p["in"] == "path"), "{id}: {name}");
            }
        }
    }
    assert_eq!(operations.len(), api::routes::endpoints().len());
    // A schema with the name of a Rust primitive (`i64`) has lost its bounds, because references
    // have none.
    let named: Vec<&String> = document["components"]["schemas"].as_object().unwrap().keys().collect();
    let primitive = named.iter().find(|name| name.starts_with(|c: char| c.is_lowercase()));
    assert_eq!(primitive, None);
    // Every reference resolves.
    let text = COMMITTED;
    for reference in text.split("\"$ref\": \"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer} is missing");
    }
}
