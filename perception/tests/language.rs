//! Tests embeddings and text generation by an endpoint, including their failures.

#[path = "common/server.rs"]
mod server;

use std::time::{Duration, Instant};

use domain::language::{LanguageModelError, Priority};
use perception::models::endpoint::{Endpoint, EndpointSettings};
use serde_json::{Value, json};
use server::{Reply, Server};

fn endpoint(server: &Server, change: impl FnOnce(&mut EndpointSettings)) -> Endpoint {
    let mut settings = EndpointSettings {
        base_url: server.base_url.clone(),
        api_key: Some(domain::Secret::new("sk-test")),
        embedding_model: Some("near".to_owned()),
        text_model: Some("teller".to_owned()),
        timeout_seconds: 1,
        query_timeout_ms: 200,
        text_timeout_ms: 200,
        prompt_cents_a_million: 100,
        completion_cents_a_million: 400,
        longest_wait_ms: 10,
        ..EndpointSettings::default()
    };
    change(&mut settings);
    Endpoint::new(&settings).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("text {at}")).collect()
}

fn failed<T>(outcome: Result<T, LanguageModelError>) -> &'static str {
    outcome.err().expect("it fails").code
}

#[test]
fn embeds_texts_in_batches_and_keeps_their_order() {
    let server = Server::start(&[Reply::Valid]);
    let embedder = endpoint(&server, |settings| settings.embedding_dimensions = Some(3)).embedder().unwrap();
    assert_eq!(embedder.model(), "near");
    let (vectors, used) = embedder.embed(&texts(65), Priority::Background).unwrap();
    assert_eq!((vectors.len(), vectors[2].as_slice(), vectors[64][1]), (65, &[1.0, 2.0, 0.5][..], 0.0));
    assert_eq!((used.requests, used.prompt_tokens, used.microcents), (2, 65 * 7, 65 * 7 * 100));
    let requests = server.requests.lock().unwrap();
    assert_eq!(requests[0].path, "/v1/embeddings");
    assert_eq!(requests[0].authorization.as_deref(), Some("Bearer sk-test"));
    let body: Value = serde_json::from_slice(&requests[1].body).unwrap();
    assert_eq!(
        (&body["model"], &body["input"], &body["dimensions"]),
        (&json!("near"), &json!(["text 64"]), &json!(3))
    );
    assert!(endpoint(&server, |settings| settings.embedding_model = None).embedder().is_none());
    assert!(endpoint(&server, |settings| settings.text_model = None).writer().is_none());
}

#[test]
fn rejects_invalid_vectors() {
    for (fault, code, requests) in [
        (Reply::Silence, "ENDPOINT_TIMEOUT", 1),
        (Reply::Status(429, 0), "ENDPOINT_RATE_LIMITED", 3),
        (Reply::Status(500, 0), "ENDPOINT_FAILED", 3),
        (Reply::Status(404, 0), "ENDPOINT_FAILED", 1),
        (Reply::Body("no"), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Body(r#"{"data":[]}"#), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Body(r#"{"data":[{"index":0,"embedding":[1,0]}]}"#), "ENDPOINT_ANSWER_UNUSABLE", 1),
        // A missing vector, a duplicate index, different lengths, no direction, no numbers.
        (
            Reply::Body(r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#),
            "ENDPOINT_ANSWER_UNUSABLE",
            1,
        ),
        (
            Reply::Body(r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}"#),
            "ENDPOINT_ANSWER_UNUSABLE",
            1,
        ),
        (
            Reply::Body(r#"{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]}]}"#),
            "ENDPOINT_ANSWER_UNUSABLE",
            1,
        ),
        (
            Reply::Body(r#"{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}"#),
            "ENDPOINT_ANSWER_UNUSABLE",
            1,
        ),
    ] {
        let server = Server::start(std::slice::from_ref(&fault));
        let embedder = endpoint(&server, |_| ()).embedder().unwrap();
        assert_eq!(failed(embedder.embed(&texts(2), Priority::Background)), code, "{fault:?}");
        assert_eq!(server.count(), requests, "{fault:?}");
    }
    let server = Server::start(&[Reply::Valid]);
    let shorter = endpoint(&server, |settings| settings.embedding_dimensions = Some(2)).embedder().unwrap();
    assert_eq!(failed(shorter.embed(&texts(1), Priority::Background)), "ENDPOINT_ANSWER_UNUSABLE");
}

#[test]
fn interactive_requests_time_out_early_and_are_not_retried() {
    let server = Server::start(&[Reply::Silence]);
    let slow = endpoint(&server, |settings| settings.timeout_seconds = 60);
    let start = Instant::now();
    assert_eq!(failed(slow.embedder().unwrap().embed(&texts(1), Priority::Interactive)), "ENDPOINT_TIMEOUT");
    assert_eq!(failed(slow.writer().unwrap().write("task", "material")), "ENDPOINT_TIMEOUT");
    assert!(start.elapsed() < Duration::from_secs(20), "two waits of 200 ms took {:?}", start.elapsed());
    // It is not retried, either.
    let server = Server::start(&[Reply::Status(429, 0)]);
    assert_eq!(
        failed(endpoint(&server, |_| ()).embedder().unwrap().embed(&texts(1), Priority::Interactive)),
        "ENDPOINT_RATE_LIMITED"
    );
    assert_eq!(server.count(), 1);
}

#[test]
fn returns_complete_texts_only() {
    let server = Server::start(&[Reply::Valid]);
    let (text, used) = endpoint(&server, |_| ()).writer().unwrap().write("task", "material").unwrap();
    assert_eq!((text.as_str(), used.microcents), ("It is there.", 1000 * 100 + 50 * 400));
    let body: Value = serde_json::from_slice(&server.requests.lock().unwrap()[0].body).unwrap();
    assert_eq!(
        (&body["messages"][0]["role"], &body["messages"][1]["content"]),
        (&json!("system"), &json!("material"))
    );
    let message = |content: &str| json!({ "role": "assistant", "content": content });
    for (fault, code) in [
        (Reply::Message(message("It is"), "length"), "ENDPOINT_ANSWER_UNUSABLE"),
        (Reply::Message(message(" "), "stop"), "ENDPOINT_REFUSED"),
        (Reply::Message(json!({ "content": null, "refusal": "No." }), "stop"), "ENDPOINT_REFUSED"),
        (Reply::Message(message("x"), "content_filter"), "ENDPOINT_REFUSED"),
        (Reply::Body("{}"), "ENDPOINT_ANSWER_UNUSABLE"),
        (Reply::Status(503, 0), "ENDPOINT_FAILED"),
    ] {
        let server = Server::start(std::slice::from_ref(&fault));
        assert_eq!(failed(endpoint(&server, |_| ()).writer().unwrap().write("task", "m")), code, "{fault:?}");
        assert_eq!(server.count(), 1, "{fault:?}");
    }
    let server = Server::start(&[Reply::Valid]);
    let expensive = endpoint(&server, |settings| {
        settings.max_cents_a_batch = 1;
        settings.text_max_tokens = 4000;
    });
    assert_eq!(failed(expensive.writer().unwrap().write("task", "m")), "ENDPOINT_SPENDING_BOUND");
    assert_eq!(server.count(), 0);
}

#[test]
fn the_writer_replaces_a_refused_parameter() {
    let refusal = r#"{"error":{"message":"'max_tokens' is not supported with this model"}}"#;
    let server = Server::start(&[Reply::Refuses("max_tokens", 400, refusal)]);
    let writer = endpoint(&server, |_| ()).writer().unwrap();
    let (text, used) = writer.write("Reword it.", "It is there.").unwrap();
    assert_eq!((text.as_str(), used.requests), ("It is there.", 2));
    writer.write("Reword it.", "It is there.").unwrap();
    assert_eq!(server.count(), 3, "the model's parameters are remembered for the endpoint");
}
