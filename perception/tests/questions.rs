//! Tests the translation of questions by an endpoint over real sockets, including its failures.

#[path = "common/server.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod server;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::language::Translator;
use perception::models::endpoint::{Endpoint, EndpointSettings};
use serde_json::{Value, json};
use server::{Reply, Server};

fn translator(server: &Server, change: impl FnOnce(&mut EndpointSettings)) -> Arc<dyn Translator> {
    let mut settings = EndpointSettings {
        base_url: server.base_url.clone(),
        api_key: Some(domain::Secret::new("sk-test")),
        question_model: Some("polyglot".to_owned()),
        question_timeout_ms: 200,
        timeout_seconds: 60,
        ..EndpointSettings::default()
    };
    change(&mut settings);
    Endpoint::new(&settings).unwrap().translator().unwrap()
}

fn message(content: &str) -> Reply {
    Reply::Message(json!({ "role": "assistant", "content": content }), "stop")
}

fn code(translator: &Arc<dyn Translator>) -> &'static str {
    translator.translate("task", &json!({}), "Was kostet das?").expect_err("it fails").code
}

#[test]
fn the_endpoint_receives_the_question_and_a_strict_schema() {
    let server = Server::start(&[message(r#"{"parts":[]}"#)]);
    let schema = json!({ "type": "object", "additionalProperties": false });
    let translator = translator(&server, |_| ());
    let (value, used) = translator.translate("the task", &schema, "Was kostet das?").unwrap();
    assert_eq!((value, used.requests, translator.model()), (json!({ "parts": [] }), 1, "polyglot"));
    let request = server.requests.lock().unwrap()[0].clone();
    assert_eq!(
        (request.path.as_str(), request.authorization.as_deref()),
        ("/v1/chat/completions", Some("Bearer sk-test"))
    );
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let format = &body["response_format"]["json_schema"];
    assert_eq!((&format["strict"], &format["schema"]), (&json!(true), &schema));
    assert_eq!(
        body["messages"],
        json!([{ "role": "system", "content": "the task" }, { "role": "user", "content": "Was kostet das?" }])
    );
    let none = EndpointSettings { base_url: server.base_url.clone(), ..EndpointSettings::default() };
    assert!(Endpoint::new(&none).unwrap().translator().is_none(), "no model, no translation");
}

#[test]
fn a_model_without_json_schema_is_asked_again_without_it() {
    let refusal = r#"{"error":{"message":"response_format json_schema is not supported"}}"#;
    let server = Server::start(&[
        Reply::Refuses("response_format", 400, refusal),
        Reply::Refuses("response_format", 400, refusal),
        message("```json\n{\"parts\":[]}\n```"),
    ]);
    let (value, _) = translator(&server, |_| ()).translate("task", &json!({}), "Wo?").unwrap();
    assert_eq!(value, json!({ "parts": [] }));
}

#[test]
fn unusable_responses_are_errors_and_are_not_retried() {
    for (reply, expected) in [
        (message("It costs 4.80."), "ENDPOINT_ANSWER_UNUSABLE"),
        (Reply::Message(json!({ "content": "{\"parts\"" }), "length"), "ENDPOINT_ANSWER_UNUSABLE"),
        (Reply::Message(json!({ "content": null, "refusal": "No." }), "stop"), "ENDPOINT_REFUSED"),
        (Reply::Body("{}"), "ENDPOINT_ANSWER_UNUSABLE"),
        (Reply::Status(500, 0), "ENDPOINT_FAILED"),
        (Reply::Status(429, 0), "ENDPOINT_RATE_LIMITED"),
    ] {
        let server = Server::start(std::slice::from_ref(&reply));
        assert_eq!(code(&translator(&server, |_| ())), expected, "{reply:?}");
        assert_eq!(server.count(), 1, "{reply:?}");
    }
}

#[test]
fn a_silent_endpoint_costs_a_bounded_time_and_is_then_left_alone() {
    let server = Server::start(&[Reply::Silence]);
    let translator = translator(&server, |_| ());
    let start = Instant::now();
    assert_eq!([code(&translator), code(&translator)], ["ENDPOINT_TIMEOUT"; 2]);
    assert!(start.elapsed() < Duration::from_secs(20), "two waits of 200 ms took {:?}", start.elapsed());
    assert_eq!([code(&translator), code(&translator)], ["ENDPOINT_PAUSED"; 2]);
    assert_eq!(server.count(), 2, "a paused endpoint receives nothing");
}
