//! Transcripts that clients send: stored as objects, never in lists.

use domain::{Timestamp, layout};
use entities::{
    outbox::{self, Kind},
    scans, testing,
};
use serde_json::{Value, json};

use crate::{
    app::TestApp,
    retries::fail_scan,
    scans::{create_scan, photos},
};

fn with_transcript(text: &str) -> Value {
    let mut input = photos(1);
    input["input"]["transcript"] = json!({ "text": text, "segments": [] });
    input
}

#[tokio::test]
async fn transcripts_are_stored_as_objects_and_left_out_of_responses() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await;
        let path = format!("/v1/spaces/{}/scans", space.id.as_str());
        let text = "the kitchen has a gas stove ".repeat(7000);
        let mut ids = Vec::new();
        for _ in 0..5 {
            let created =
                app.post(&path).key(&client).json(with_transcript(&text)).send().await.expect(201).body;
            assert_eq!(created["has_transcript"], true);
            assert_eq!(created["input"].get("transcript"), None);
            ids.push(created["id"].as_str().unwrap().to_owned());
        }
        create_scan(app, &client, space.id.as_str(), photos(1)).await;
        let list = app.get(&path).key(&client).send().await.expect(200);
        assert!(list.bytes.len() < 10_000, "{} bytes", list.bytes.len());
        assert_eq!(list.body["data"][0]["has_transcript"], false);
        for id in ids {
            let id = id.parse().unwrap();
            let row = scans::find(app.db(), &client.tenant, &id).await.unwrap().unwrap();
            assert_eq!((row.input.transcript.is_none(), row.has_transcript()), (true, true));
            let key = layout::transcript(&id);
            let stored = app.app.objects().get_bytes(&key, layout::MAX_TRANSCRIPT_BYTES).await.unwrap();
            let stored: domain::media::Transcript = serde_json::from_slice(&stored).unwrap();
            assert_eq!(stored.text, text);
            let deletion = outbox::find(app.db(), Kind::Purge, &key).await.unwrap();
            assert_eq!(deletion, None, "the creation withdraws the deletion");
        }
    })
    .await;
}

#[tokio::test]
async fn transcripts_without_a_scan_are_deleted() {
    let app = TestApp::with(|settings| settings.limits.unstarted_scans = 1).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/scans", space.id.as_str());
    let create = || {
        let create = app.post(&path).key(&client).header("idempotency-key", "transcript-key");
        create.json(with_transcript("a room")).send()
    };
    create().await.expect(201);
    create().await.expect(200);
    let refused = app.post(&path).key(&client).json(with_transcript("another room")).send().await;
    refused.expect_error(409, "UNSTARTED_SCAN_LIMIT");
    let changed = app.post(&path).key(&client).header("idempotency-key", "transcript-key");
    changed.json(with_transcript("other")).send().await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(app.app.objects().list("scans/").await.unwrap().len(), 1);
    // A process that dies between storing the transcript and creating the scan leaves this entry.
    let (id, now) = (domain::ScanId::new(), Timestamp::now());
    let enqueued: entities::Result<()> =
        app.db().write(async |txn| scans::before_transcript(&txn, &id, now).await).await;
    enqueued.unwrap();
    let entry = outbox::find(app.db(), Kind::Purge, &layout::transcript(&id)).await.unwrap().unwrap();
    assert!(entry.next_attempt_at.0 > now, "the request has time to create the scan");
    assert_eq!(entry.payload["prefix"], layout::transcript(&id));
    app.finish().await;
}

#[tokio::test]
async fn a_retry_refers_to_the_transcript_of_the_failed_scan() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), with_transcript("a room")).await;
    fail_scan(&app, &client, &scan).await;
    let retry = app.post(&format!("/v1/scans/{scan}/retry")).key(&client).json(json!({})).send().await;
    let retry = retry.expect(202).body;
    assert_eq!(retry["has_transcript"], true);
    let id = retry["id"].as_str().unwrap().parse().unwrap();
    let row = scans::find(app.db(), &client.tenant, &id).await.unwrap().unwrap();
    assert_eq!(row.transcript_of.unwrap().as_str(), scan);
    app.finish().await;
}
