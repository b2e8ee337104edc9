//! The corpus of `tests/data`: accepted and rejected inputs, with reasons.

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
    media::complete,
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

fn once() -> usize {
    1
}

async fn someone(app: &TestApp) -> (Client, String) {
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    (client, space.id.to_string())
}

#[derive(Debug, Deserialize)]
struct Cursor {
    cursor: String,
    #[serde(default = "once")]
    repeat: usize,
    why: String,
}

#[tokio::test]
async fn cursors_that_no_list_gave() {
    let app = TestApp::start().await;
    let (client, space) = someone(&app).await;
    for Cursor { cursor, repeat, why } in cases("cursors.json") {
        let cursor = cursor.repeat(repeat);
        for list in ["/v1/spaces".to_owned(), format!("/v1/spaces/{space}/scans"), "/v1/events".to_owned()] {
            let answer = app.get(&format!("{list}?cursor={cursor}")).key(&client).send().await;
            assert_eq!(answer.refused(400, "VALIDATION_FAILED").wrong_fields(), ["cursor"], "{list}: {why}");
        }
    }
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct IdempotencyKey {
    key: String,
    #[serde(default = "once")]
    repeat: usize,
    taken: bool,
    why: String,
}

#[tokio::test]
async fn idempotency_keys() {
    let app = TestApp::start().await;
    let (client, space) = someone(&app).await;
    for IdempotencyKey { key, repeat, taken, why } in cases("idempotency_keys.json") {
        let value = HeaderValue::from_bytes(key.repeat(repeat).as_bytes()).unwrap();
        let call = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
        let answer = call.raw_header("idempotency-key", value).json(photos(1)).send().await;
        if taken {
            assert_eq!(answer.status, 201, "{why}: {}", answer.body);
        } else {
            assert_eq!(answer.refused(400, "VALIDATION_FAILED").wrong_fields(), ["Idempotency-Key"], "{why}");
        }
    }
    // Two of them aren't accepted as keys.
    let call = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
    let twice = call.header("idempotency-key", "the-first-1").header("idempotency-key", "the-second");
    twice.json(photos(1)).send().await.refused(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Signature {
    expires: Option<String>,
    signature: Option<String>,
    why: String,
}

#[tokio::test]
async fn signatures_that_do_not_fit() {
    let app = TestApp::start().await;
    let (client, space) = someone(&app).await;
    let scan = complete(&app, &client, &space).await;
    let key = domain::layout::frame(&scan.parse().unwrap(), "frm_00001");
    let secret = domain::Secret::new(SECRET);
    let query = media::evidence::sign(&secret, &key, Timestamp::now(), media::evidence::DEFAULT_TTL);
    let (expires, right) = query.strip_prefix("expires=").unwrap().split_once("&signature=").unwrap();
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
            "right" => right.to_owned(),
            "upper" => format!("{}A", right[..right.len() - 1].to_uppercase()),
            "cut" => right[..right.len() - 1].to_owned(),
            "longer" => format!("{right}0"),
            other => other.to_owned(),
        });
        let pairs = [("expires", time), ("signature", signature)];
        let pairs = pairs.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let query: Vec<_> = pairs.collect();
        let answer = app.get(&format!("{path}?{}", query.join("&"))).send().await;
        let refused = (answer.status == 403 && answer.body["error"]["code"] == "INVALID_SIGNATURE")
            || (answer.status == 400 && answer.body["error"]["code"] == "VALIDATION_FAILED");
        assert!(refused, "{}: {} {}", case.why, answer.status, answer.body);
    }
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Body {
    text: String,
    #[serde(default = "once")]
    repeat: usize,
    #[serde(default)]
    field: Option<String>,
    #[serde(default)]
    status: Option<u16>,
    why: String,
}

#[tokio::test]
async fn bodies_of_every_depth_and_size() {
    let app = TestApp::start().await;
    let (client, _) = someone(&app).await;
    for Body { text, repeat, field, status, why } in cases("bodies.json") {
        let call = app.post("/v1/spaces").key(&client).header("content-type", "application/json");
        let answer = call.body(text.repeat(repeat)).send().await;
        if status == Some(413) {
            answer.refused(413, "PAYLOAD_TOO_LARGE");
            continue;
        }
        let answer = answer.refused(400, "VALIDATION_FAILED");
        if let Some(field) = field {
            assert!(answer.wrong_fields().iter().all(|wrong| *wrong == field), "{why}: {}", answer.body);
        }
    }
    // The maximum depth, in a place where no schema is that deep.
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(120), "]".repeat(120));
    let call = app.post("/v1/spaces").key(&client).header("content-type", "application/json").body(deep);
    call.send().await.refused(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Text {
    name: String,
    #[serde(default = "once")]
    repeat: usize,
    taken: bool,
    why: String,
}

#[tokio::test]
async fn text_is_kept_to_the_letter_or_refused() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        for Text { name, repeat, taken, why } in cases("texts.json") {
            let name = name.repeat(repeat);
            let body = json!({ "name": name, "space_type": "a", "external_id": name.chars().take(128).collect::<String>() });
            let answer = app.post("/v1/spaces").key(&client).json(body).send().await;
            if !taken {
                let answer = answer.refused(400, "VALIDATION_FAILED");
                assert_eq!(answer.wrong_fields()[0], "name", "{why}");
                continue;
            }
            let made = answer.expect(201).body;
            assert_eq!(made["name"], name, "{why}");
            let reference = made["external_id"].as_str().unwrap();
            let found = format!("/v1/spaces?external_id={}", utf8_percent_encode(reference, NON_ALPHANUMERIC));
            let found = app.get(&found).key(&client).send().await.expect(200).body;
            assert_eq!(found["data"], json!([made]), "{why}: it is found by it");
        }
    })
    .await;
}

#[derive(Debug, Deserialize)]
struct Number {
    #[serde(flatten)]
    place: Value,
}

#[tokio::test]
async fn numbers_in_and_out_of_range() {
    let app = TestApp::start().await;
    let (client, space) = someone(&app).await;
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
            _ => panic!("{line} says nothing"),
        };
        let call = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
        let body = format!("{{\"input\":{{\"language\":\"en\",{input}}}}}");
        let answer = call.header("content-type", "application/json").body(body).send().await;
        assert_eq!(json!(answer.status), case.place["status"], "{}: {}", case.place["why"], answer.body);
    }
    app.finish().await;
}

#[derive(Debug, Deserialize)]
struct Raw {
    /// Each character is one byte.
    head: String,
    status: u16,
    why: String,
}

/// Returns the status of the response to raw bytes.
async fn status_of(app: &TestApp, head: &str) -> u16 {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let text = format!("{head}\r\nConnection: close\r\n\r\n");
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect();
    connection.write_all(&bytes).await.unwrap();
    let mut answer = [0; 12];
    let read = connection.read_exact(&mut answer);
    tokio::time::timeout(Duration::from_secs(30), read).await.expect("an answer in time").unwrap();
    let answer = String::from_utf8_lossy(&answer);
    answer.strip_prefix("HTTP/1.1 ").unwrap_or_else(|| panic!("{answer}")).parse().unwrap()
}

#[tokio::test]
async fn requests_byte_by_byte() {
    let app = TestApp::start().await;
    let (client, _) = someone(&app).await;
    let key = format!("Bearer {}", client.secret);
    for Raw { head, status, why } in cases("requests.json") {
        assert_eq!(status_of(&app, &head.replace("KEY", &key)).await, status, "{why}: {head:?}");
    }
    app.finish().await;
}
