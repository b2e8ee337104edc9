//! Runs the inputs of `tests/data`: accepted and rejected ones, with reasons.

use std::{fmt::Debug, path::Path, time::Duration};

use domain::Timestamp;
use entities::testing;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::HeaderValue;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    app::{Client, SECRET, TestApp},
    media::create_complete_scan,
    scans::photos,
};

/// Reads the cases of a file.
fn cases<T: DeserializeOwned + Debug>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases: Vec<T> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(cases.len() >= 10, "{name}: {} cases", cases.len());
    cases
}

fn default_repeat() -> usize {
    1
}

async fn account_with_space(app: &TestApp) -> (Client, String) {
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    (client, space.id.to_string())
}

#[derive(Debug, Deserialize)]
struct Cursor {
    cursor: String,
    #[serde(default = "default_repeat")]
    repeat: usize,
    reason: String,
}

#[tokio::test]
async fn cursors_that_no_list_returned_are_rejected() {
    let app = TestApp::start().await;
    let (client, space) = account_with_space(&app).await;
    for Cursor { cursor, repeat, reason } in cases("cursors.json") {
        let cursor = cursor.repeat(repeat);
        for list in ["/v1/spaces".to_owned(), format!("/v1/spaces/{space}/scans"), "/v1/events".to_owned()] {
            let response = app.get(&format!("{list}?cursor={cursor}")).key(&client).send().await;
            assert_eq!(
                response.expect_error(400, "VALIDATION_FAILED").invalid_fields(),
                ["cursor"],
                "{list}: {reason}"
            );
        }
    }
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct IdempotencyKey {
    key: String,
    #[serde(default = "default_repeat")]
    repeat: usize,
    accepted: bool,
    reason: String,
}

#[tokio::test]
async fn only_well_formed_idempotency_keys_are_accepted() {
    let app = TestApp::start().await;
    let (client, space) = account_with_space(&app).await;
    for IdempotencyKey { key, repeat, accepted, reason } in cases("idempotency_keys.json") {
        let value = HeaderValue::from_bytes(key.repeat(repeat).as_bytes()).unwrap();
        let call = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
        let response = call.raw_header("idempotency-key", value).json(photos(1)).send().await;
        if accepted {
            assert_eq!(response.status, 201, "{reason}: {}", response.body);
        } else {
            assert_eq!(
                response.expect_error(400, "VALIDATION_FAILED").invalid_fields(),
                ["Idempotency-Key"],
                "{reason}"
            );
        }
    }
    // Two headers are rejected.
    let call = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
    let twice = call.header("idempotency-key", "the-first-1").header("idempotency-key", "the-second");
    twice.json(photos(1)).send().await.expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Signature {
    expires: Option<String>,
    signature: Option<String>,
    reason: String,
}

#[tokio::test]
async fn invalid_evidence_signatures_are_rejected() {
    let app = TestApp::start().await;
    let (client, space) = account_with_space(&app).await;
    let scan = create_complete_scan(&app, &client, &space).await;
    let key = domain::layout::frame(&scan.parse().unwrap(), "frm_00001");
    let secret = domain::Secret::new(SECRET);
    let query = media::evidence::sign(&secret, &key, Timestamp::now(), media::evidence::DEFAULT_TTL);
    let (expires, valid) = query.strip_prefix("expires=").unwrap().split_once("&signature=").unwrap();
    let path = media::evidence::evidence_path(&key);
    app.get(&format!("{path}?{query}")).send().await.expect(200);
    for case in cases::<Signature>("signatures.json") {
        let time = case.expires.map(|text| match text.as_str() {
            "right" => expires.to_owned(),
            "later" => (expires.parse::<i64>().unwrap() + 1).to_string(),
            "plus" => format!("%2B{expires}"),
            "zero" => format!("0{expires}"),
            other => other.to_owned(),
        });
        let signature = case.signature.map(|text| match text.as_str() {
            "right" => valid.to_owned(),
            "upper" => format!("{}A", valid[..valid.len() - 1].to_uppercase()),
            "cut" => valid[..valid.len() - 1].to_owned(),
            "longer" => format!("{valid}0"),
            other => other.to_owned(),
        });
        let pairs = [("expires", time), ("signature", signature)];
        let pairs = pairs.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let query: Vec<_> = pairs.collect();
        let response = app.get(&format!("{path}?{}", query.join("&"))).send().await;
        let refused = (response.status == 403 && response.body["error"]["code"] == "INVALID_SIGNATURE")
            || (response.status == 400 && response.body["error"]["code"] == "VALIDATION_FAILED");
        assert!(refused, "{}: {} {}", case.reason, response.status, response.body);
    }
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Body {
    text: String,
    #[serde(default = "default_repeat")]
    repeat: usize,
    #[serde(default)]
    field: Option<String>,
    #[serde(default)]
    status: Option<u16>,
    reason: String,
}

#[tokio::test]
async fn malformed_deep_and_large_bodies_are_rejected() {
    let app = TestApp::start().await;
    let (client, _) = account_with_space(&app).await;
    for Body { text, repeat, field, status, reason } in cases("bodies.json") {
        let call = app.post("/v1/spaces").key(&client).header("content-type", "application/json");
        let response = call.body(text.repeat(repeat)).send().await;
        if status == Some(413) {
            response.expect_error(413, "PAYLOAD_TOO_LARGE");
            continue;
        }
        let response = response.expect_error(400, "VALIDATION_FAILED");
        if let Some(field) = field {
            assert!(
                response.invalid_fields().iter().all(|invalid| *invalid == field),
                "{reason}: {}",
                response.body
            );
        }
    }
    // The maximum depth, in a place where no schema is that deep.
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(120), "]".repeat(120));
    let call = app.post("/v1/spaces").key(&client).header("content-type", "application/json").body(deep);
    call.send().await.expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Text {
    name: String,
    #[serde(default = "default_repeat")]
    repeat: usize,
    accepted: bool,
    reason: String,
}

#[tokio::test]
async fn text_is_stored_unchanged_or_rejected() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        for Text { name, repeat, accepted, reason } in cases("texts.json") {
            let name = name.repeat(repeat);
            let body = json!({ "name": name, "space_type": "a", "external_id": name.chars().take(128).collect::<String>() });
            let response = app.post("/v1/spaces").key(&client).json(body).send().await;
            if !accepted {
                let response = response.expect_error(400, "VALIDATION_FAILED");
                assert_eq!(response.invalid_fields()[0], "name", "{reason}");
                continue;
            }
            let created = response.expect(201).body;
            assert_eq!(created["name"], name, "{reason}");
            let reference = created["external_id"].as_str().unwrap();
            let found = format!("/v1/spaces?external_id={}", utf8_percent_encode(reference, NON_ALPHANUMERIC));
            let found = app.get(&found).key(&client).send().await.expect(200).body;
            assert_eq!(found["data"], json!([created]), "{reason}: found by its external_id");
        }
    })
    .await;
}

#[derive(Debug, Deserialize)]
struct Number {
    status: Value,
    reason: String,
}

#[tokio::test]
async fn numbers_are_accepted_only_in_range() {
    let app = TestApp::start().await;
    let (client, space) = account_with_space(&app).await;
    // As text, because parsing would change the notation of the number.
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/numbers.json"));
    let text = text.unwrap();
    let cases: Vec<Number> = cases("numbers.json");
    let lines = text.lines().filter(|line| line.trim_start().starts_with('{'));
    for (line, case) in lines.zip(&cases) {
        let of = |name: &str| {
            line.split_once(&format!("\"{name}\": ")).and_then(|(_, rest)| rest.split(", \"").next())
        };
        let input = match (of("content_length"), of("timestamp_ms")) {
            (Some(bytes), _) => {
                format!(r#""kind":"video","video":{{"content_type":"video/mp4","content_length":{bytes}}}"#)
            }
            (_, Some(time)) => format!(r#""kind":"frames","frames":[{{"timestamp_ms":{time}}}]"#),
            _ => panic!("{line} has no number"),
        };
        let call = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
        let body = format!("{{\"input\":{{\"language\":\"en\",{input}}}}}");
        let response = call.header("content-type", "application/json").body(body).send().await;
        assert_eq!(json!(response.status), case.status, "{}: {}", case.reason, response.body);
    }
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Raw {
    /// Each character is one byte.
    head: String,
    status: u16,
    reason: String,
}

/// Returns the status of the response to raw bytes.
async fn status_of(app: &TestApp, head: &str) -> u16 {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let text = format!("{head}\r\nConnection: close\r\n\r\n");
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect();
    connection.write_all(&bytes).await.unwrap();
    let mut response = [0; 12];
    let read = connection.read_exact(&mut response);
    tokio::time::timeout(Duration::from_secs(30), read).await.expect("a response in time").unwrap();
    let response = String::from_utf8_lossy(&response);
    response.strip_prefix("HTTP/1.1 ").unwrap_or_else(|| panic!("{response}")).parse().unwrap()
}

#[tokio::test]
async fn raw_requests_get_the_expected_status() {
    let app = TestApp::start().await;
    let (client, _) = account_with_space(&app).await;
    let key = format!("Bearer {}", client.secret);
    for Raw { head, status, reason } in cases("requests.json") {
        assert_eq!(status_of(&app, &head.replace("KEY", &key)).await, status, "{reason}: {head:?}");
    }
    app.finish().await;
}
