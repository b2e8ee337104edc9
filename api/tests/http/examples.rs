//! The examples in the contract match their schemas.

use serde_json::{Value, json};

use crate::contract_checks::{assert_valid, document};

/// Checks the examples of a body against its schema. A JSON body needs at least one.
fn assert_examples_valid(place: &str, content: &Value) {
    for (media_type, content) in content.as_object().into_iter().flatten() {
        let examples = content["examples"].as_object();
        assert!(examples.is_some() || media_type != "application/json", "{place} has no example");
        for example in examples.into_iter().flat_map(|named| named.values()) {
            assert_valid(place, &content["schema"], &example["value"]);
        }
    }
}

#[test]
fn every_operation_has_examples_and_they_are_valid() {
    for (path, item) in document()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = format!("{method} {path}");
            assert_examples_valid(&format!("the body of {id}"), &operation["requestBody"]["content"]);
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
                assert_examples_valid(&format!("{status} of {id}"), &response["content"]);
            }
            let path_params = operation["parameters"].as_array().into_iter().flatten();
            for param in path_params.filter(|param| param["in"] == "path") {
                assert_valid(&format!("{} of {id}", param["name"]), &param["schema"], &param["example"]);
            }
        }
    }
}

#[test]
fn scan_input_has_either_a_video_or_photos() {
    let document = document();
    let schema = json!({ "$ref": "#/components/schemas/ScanInput", "components": document["components"] });
    let input = jsonschema::draft202012::new(&schema).unwrap();
    let video = json!({ "content_type": "video/mp4", "content_length": 5 });
    for (valid, value) in [
        (true, json!({ "kind": "video", "language": "en", "video": video })),
        (true, json!({ "kind": "frames", "language": "en", "frames": [{}, { "timestamp_ms": 5 }] })),
        (true, json!({ "kind": "video", "language": "en", "video": video, "transcript": { "text": "a" } })),
        (false, json!({ "kind": "video", "language": "en" })),
        (false, json!({ "kind": "frames", "language": "en" })),
        (false, json!({ "kind": "frames", "language": "en", "video": video })),
        (false, json!({ "kind": "video", "language": "en", "frames": [{}] })),
        (false, json!({ "kind": "video", "language": "en", "video": video, "frames": [{}] })),
        (false, json!({ "kind": "frames", "language": "en", "frames": [] })),
        (false, json!({ "language": "en", "video": video })),
    ] {
        assert_eq!(input.is_valid(&value), valid, "{value}");
    }
}
