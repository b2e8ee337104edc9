//! Scans: creation with idempotency keys, lists, single scans, cancellation.

use std::collections::HashSet;

use entities::{
    outbox::{self, Kind},
    testing,
};
use serde_json::{Value, json};

use crate::{
    app::{Client, TestApp},
    uploads::{JPEG, mp4},
};

pub(crate) fn video(bytes: usize) -> Value {
    let video = json!({ "content_type": "video/mp4", "content_length": bytes });
    json!({ "input": { "kind": "video", "language": "en", "video": video } })
}

pub(crate) fn photos(count: usize) -> Value {
    json!({ "input": { "kind": "frames", "language": "pt-BR", "frames": vec![json!({}); count] } })
}

/// Creates a scan that awaits its upload and returns its id.
pub(crate) async fn create_scan(app: &TestApp, client: &Client, space: &str, body: Value) -> String {
    let created =
        app.post(&format!("/v1/spaces/{space}/scans")).key(client).json(body).send().await.expect(201);
    created.body["id"].as_str().unwrap().to_owned()
}

/// Creates a scan of one photo and uploads it.
pub(crate) async fn create_uploaded_scan(app: &TestApp, client: &Client, space: &str) -> String {
    let scan = create_scan(app, client, space, photos(1)).await;
    let put = app.put(&format!("/v1/scans/{scan}/frames/0")).key(client);
    put.header("content-type", "image/jpeg").body(JPEG.to_vec()).send().await.expect(204);
    scan
}

/// Creates and starts a scan and returns its id.
pub(crate) async fn create_started_scan(app: &TestApp, client: &Client, space: &str) -> String {
    let scan = create_uploaded_scan(app, client, space).await;
    app.post(&format!("/v1/scans/{scan}/start")).key(client).json(json!({})).send().await.expect(202);
    scan
}

#[tokio::test]
async fn created_scan_contains_upload_urls() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();

    let path = format!("/v1/spaces/{space}/scans");
    let created = app.post(&path).key(&client).json(video(1234)).send().await.expect(201).body;
    assert_eq!(created["status"], "awaiting_upload");
    assert_eq!(created["space_id"], space);
    assert_eq!(created["livemode"], false);
    assert_eq!(created.get("charge"), None);
    assert_eq!(created.get("stage"), None);
    assert_eq!(created["timeline"].as_array().unwrap().len(), 1);
    let id = created["id"].as_str().unwrap();
    let upload = &created["upload"];
    assert_eq!(upload["kind"], "video");
    assert_eq!(upload["method"], "PUT");
    assert_eq!(upload["url"], format!("http://{}/v1/scans/{id}/video", app.address));
    assert_eq!(upload["headers"], json!({ "Content-Length": "1234", "Content-Type": "video/mp4" }));
    assert!(upload.get("url_template").is_none());

    let created = app.post(&path).key(&client).json(photos(2)).send().await.expect(201).body;
    let id = created["id"].as_str().unwrap();
    assert_eq!(created["upload"]["kind"], "frames");
    assert_eq!(
        created["upload"]["url_template"],
        format!("http://{}/v1/scans/{id}/frames/{{index}}", app.address)
    );
    assert!(created["upload"].get("url").is_none());

    let read = app.get(&format!("/v1/scans/{id}")).key(&client).send().await.expect(200).body;
    assert_eq!(read, created, "reading returns the same scan with its upload instructions");
    let past = app.get(&format!("{path}/{id}")).key(&client).send().await.expect(200).body;
    assert_eq!(past["document"], json!(null));
    let list = app.get(&path).key(&client).send().await.expect(200).body;
    let ids: Vec<_> =
        list["data"].as_array().unwrap().iter().map(|scan| scan["input"]["kind"].clone()).collect();
    assert_eq!(ids.len(), 2);
    app.finish().await;
}

#[tokio::test]
async fn invalid_fields_are_reported() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/scans", space.id.as_str());
    let input = |input: Value| json!({ "input": input });
    let mp4 = json!({ "content_type": "video/mp4", "content_length": 5 });
    let cases = [
        (json!({}), "input"),
        (input(json!({ "kind": "audio", "language": "en" })), "input.kind"),
        (input(json!({ "kind": "video", "language": "en" })), "input.video"),
        (input(json!({ "kind": "frames", "language": "en" })), "input.frames"),
        (input(json!({ "kind": "frames", "language": "en", "frames": [] })), "input.frames"),
        (input(json!({ "kind": "video", "language": "no way", "video": mp4 })), "input.language"),
        (input(json!({ "kind": "video", "language": "en", "video": mp4, "frames": [{}] })), "input.frames"),
        (
            input(
                json!({ "kind": "video", "language": "en", "video": { "content_type": "video/mp4", "content_length": 1.5 } }),
            ),
            "input.video.content_length",
        ),
        (
            input(
                json!({ "kind": "video", "language": "en", "video": { "content_type": "text/html", "content_length": 1 } }),
            ),
            "input.video.content_type",
        ),
        (
            input(
                json!({ "kind": "frames", "language": "en", "frames": [{ "timestamp_ms": 9 }, { "timestamp_ms": 8 }] }),
            ),
            "input.frames[1].timestamp_ms",
        ),
        (
            input(json!({ "kind": "frames", "language": "en", "frames": [{}],
                "transcript": { "text": "", "segments": [{ "start_ms": 5, "end_ms": 4, "text": "" }] } })),
            "input.transcript.segments[0].end_ms",
        ),
        (json!({ "input": photos(1)["input"], "more": 1 }), "more"),
    ];
    for (body, field) in cases {
        let response = app.post(&path).key(&client).json(body.clone()).send().await;
        assert_eq!(response.expect_error(400, "VALIDATION_FAILED").invalid_fields(), [field], "{body}");
    }
    let large = app.post(&path).key(&client).json(video(95_000_001)).send().await;
    assert_eq!(large.expect_error(413, "PAYLOAD_TOO_LARGE").body["error"]["max_bytes"], 95_000_000);
    app.post(&path).key(&client).json(video(95_000_000)).send().await.expect(201);
    let nowhere = format!("/v1/spaces/{}/scans", domain::SpaceId::new());
    app.post(&nowhere).key(&client).json(video(5)).send().await.expect_error(404, "NOT_FOUND");
    app.finish().await;
}

#[tokio::test]
async fn concurrent_creations_with_one_key_create_one_scan() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await;
        let path = format!("/v1/spaces/{}/scans", space.id.as_str());
        let creations = (0..64).map(|_| {
            let call = app.post(&path).key(&client).header("idempotency-key", "order-4711").json(photos(3));
            call.send()
        });
        let responses = futures::future::join_all(creations).await;
        let mut ids = HashSet::new();
        let mut created = 0;
        for response in responses {
            ids.insert(response.body["id"].as_str().expect("a scan").to_owned());
            match response.status {
                201 => created += 1,
                200 => assert_eq!(response.header("idempotent-replayed"), "true"),
                other => panic!("{other}: {}", response.body),
            }
            assert!(response.body["upload"]["url_template"].is_string());
        }
        assert_eq!((created, ids.len()), (1, 1));
        let list = app.get(&path).key(&client).send().await.expect(200).body;
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn idempotency_key_is_rejected_with_another_body() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/scans", space.id.as_str());
    let with = |key: &str, body: Value| {
        app.post(&path).key(&client).header("idempotency-key", key).json(body).send()
    };
    let first = with("12345678", photos(1)).await.expect(201);
    assert_eq!(first.header("idempotent-replayed"), "");
    with("12345678", photos(2)).await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
    // The same body in another notation.
    let text = r#"{ "input": { "frames": [ {} ], "language": "pt-BR", "kind": "frames" } }"#;
    let again = app.post(&path).key(&client).header("idempotency-key", "12345678");
    let again = again.header("content-type", "application/json").body(text).send().await.expect(200);
    assert_eq!(again.body["id"], first.body["id"]);
    // The same key of another account is independent.
    let other = app.client().await;
    let theirs = testing::space(app.db(), &other.tenant).await;
    let call = app.post(&format!("/v1/spaces/{}/scans", theirs.id.as_str())).key(&other);
    call.header("idempotency-key", "12345678").json(photos(1)).send().await.expect(201);

    for bad in ["short", "has space 1", "x".repeat(65).as_str(), "colon:::::", ""] {
        let response = with(bad, photos(1)).await.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(response.invalid_fields(), ["Idempotency-Key"], "{bad}");
    }
    app.finish().await;
}

#[tokio::test]
async fn creation_succeeds_without_the_engine() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    app.engine.unavailable.store(true, std::sync::atomic::Ordering::SeqCst);
    let scan = create_scan(&app, &client, space.id.as_str(), video(5)).await;
    assert!(
        outbox::is_pending(app.db(), Kind::ScanWorkflow, &scan).await.unwrap(),
        "the relay will start the workflow"
    );
    app.engine.unavailable.store(false, std::sync::atomic::Ordering::SeqCst);
    let scan = create_scan(&app, &client, space.id.as_str(), video(5)).await;
    assert!(!outbox::is_pending(app.db(), Kind::ScanWorkflow, &scan).await.unwrap(), "it was started inline");
    app.finish().await;
}

#[tokio::test]
async fn only_scans_that_await_their_upload_can_be_cancelled() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let scan = create_scan(&app, &client, space, video(64)).await;
    let path = format!("/v1/scans/{scan}");
    app.delete(&path).key(&client).send().await.expect(204);
    app.delete(&path).key(&client).send().await.expect(204);
    let read = app.get(&path).key(&client).send().await.expect(200).body;
    assert_eq!(read["status"], "cancelled");
    assert_eq!(read.get("upload"), None);
    app.post(&format!("{path}/start"))
        .key(&client)
        .json(json!({}))
        .send()
        .await
        .expect_error(409, "SCAN_CANCELLED");
    let put =
        app.put(&format!("{path}/video")).key(&client).header("content-type", "video/mp4").body(mp4(64));
    put.send().await.expect_error(409, "SCAN_CANCELLED");

    let busy = create_started_scan(&app, &client, space).await;
    let refused = app.delete(&format!("/v1/scans/{busy}")).key(&client).send().await;
    assert_eq!(refused.expect_error(409, "SCAN_NOT_CANCELLABLE").body["error"]["status"], "queued");

    let open = create_scan(&app, &client, space, video(64)).await;
    app.engine.unavailable.store(true, std::sync::atomic::Ordering::SeqCst);
    let response = app.delete(&format!("/v1/scans/{open}")).key(&client).send().await;
    let response = response.expect_error(503, "ENGINE_UNAVAILABLE");
    assert!(response.header("retry-after").parse::<u32>().unwrap() > 0);
    app.finish().await;
}
