//! Retrying scans that failed because of the service.

use std::sync::atomic::Ordering;

use domain::{FailureCode, ScanId, Timestamp, layout, media::UploadSlot, scan::ScanFailure};
use entities::{Reader, scans, testing, uploads};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, Call, Client, TestApp},
    scans::{create_started_scan, create_uploaded_scan},
    uploads::JPEG,
};

async fn fail(app: &TestApp, scan: &str, code: FailureCode) {
    let failure =
        ScanFailure { code, message: code.message().into(), stage: None, retryable: code.retryable() };
    ledger::fail_scan(app.db(), &scan.parse().unwrap(), &failure, Timestamp::now()).await.unwrap();
}

/// Creates a scan that failed because of the service and returns its id.
pub(crate) async fn create_failed_scan(app: &TestApp, client: &Client, space: &str) -> String {
    let scan = create_started_scan(app, client, space).await;
    fail(app, &scan, FailureCode::Internal).await;
    scan
}

/// Uploads the photo of a scan, starts it and lets it fail because of the service.
pub(crate) async fn fail_scan(app: &TestApp, client: &Client, scan: &str) {
    let put = app.put(&format!("/v1/scans/{scan}/frames/0")).key(client);
    put.header("content-type", "image/jpeg").body(JPEG.to_vec()).send().await.expect(204);
    app.post(&format!("/v1/scans/{scan}/start")).key(client).json(json!({})).send().await.expect(202);
    fail(app, scan, FailureCode::Internal).await;
}

fn call(app: &TestApp, client: &Client, scan: &str) -> Call {
    app.post(&format!("/v1/scans/{scan}/retry")).key(client)
}

async fn retry(app: &TestApp, client: &Client, scan: &str) -> ApiResponse {
    call(app, client, scan).send().await
}

async fn read(app: &TestApp, client: &Client, scan: &str) -> Value {
    app.get(&format!("/v1/scans/{scan}")).key(client).send().await.expect(200).body
}

async fn count_scans(app: &TestApp) -> u64 {
    scans::Entity::find().count(app.db().conn()).await.unwrap()
}

async fn uploads_of(app: &TestApp, client: &Client, scan: &Value) -> Vec<entities::UploadRow> {
    let id: ScanId = scan["id"].as_str().unwrap().parse().unwrap();
    uploads::list(app.db(), &client.tenant, &id).await.unwrap()
}

#[tokio::test]
async fn retry_starts_a_new_scan_of_the_same_media() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await;
        let failed = create_failed_scan(app, &client, space.id.as_str()).await;
        let before = read(app, &client, &failed).await;
        assert_eq!(before["charge"]["refunded"], true);

        let started = retry(app, &client, &failed).await.expect(202).body;
        assert_eq!((&started["status"], &started["retry_of"]), (&json!("queued"), &json!(failed)));
        let charge = json!({ "kind": "free_scan", "price_cents": 0, "refunded": false });
        assert_eq!((&started["charge"], &started["space_id"]), (&charge, &before["space_id"]));
        assert_eq!(started["input"], before["input"]);
        assert_eq!(read(app, &client, &failed).await, before, "the failed scan stays failed and refunded");

        // A repeat returns the same scan and charges nothing.
        let again = retry(app, &client, &failed).await.expect(200).body;
        assert_eq!((&again["id"], &again["charge"]), (&started["id"], &charge));
        assert_eq!(count_scans(app).await, 2);
        let wallet = app.get("/v1/wallet").key(&client).send().await.expect(200).body;
        assert_eq!(wallet["free_scans"], 2);
    })
    .await;
}

#[tokio::test]
async fn retry_uses_protected_copies_and_else_unchanged_uploads() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let copied = create_failed_scan(&app, &client, space.id.as_str()).await;
    let not_copied = create_failed_scan(&app, &client, space.id.as_str()).await;
    let source = layout::source(&copied.parse().unwrap(), UploadSlot::Frame(0));
    let copy = app.app.objects().put_bytes(&source, "image/jpeg", JPEG).await.unwrap();

    let scan = retry(&app, &client, &copied).await.expect(202).body;
    let media = uploads_of(&app, &client, &scan).await;
    assert_eq!((&media[0].object_key, &media[0].etag), (&source, &copy.etag));

    let recorded = uploads::list(app.db(), &client.tenant, &not_copied.parse().unwrap()).await.unwrap();
    let scan = retry(&app, &client, &not_copied).await.expect(202).body;
    let media = uploads_of(&app, &client, &scan).await;
    assert_eq!((&media[0].object_key, &media[0].etag), (&recorded[0].object_key, &recorded[0].etag));

    // An upload that was replaced through a signed URL is not the media that failed.
    let replaced = create_failed_scan(&app, &client, space.id.as_str()).await;
    let recorded = uploads::list(app.db(), &client.tenant, &replaced.parse().unwrap()).await.unwrap();
    app.app.objects().put_bytes(&recorded[0].object_key, "image/jpeg", b"other".to_vec()).await.unwrap();
    retry(&app, &client, &replaced).await.expect_error(409, "SCAN_MEDIA_DELETED");
    app.finish().await;
}

#[tokio::test]
async fn idempotency_key_of_a_retry_is_bound_to_its_scan() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await;
        let space = space.id.as_str();
        let (first, second) =
            (create_failed_scan(app, &client, space).await, create_failed_scan(app, &client, space).await);
        let with_key = async |scan: &str| {
            call(app, &client, scan).header("idempotency-key", "retry-key-1").json(json!({})).send().await
        };
        let responses = futures::future::join_all((0..8).map(|_| with_key(&first))).await;
        let ids: std::collections::BTreeSet<_> =
            responses.iter().map(|response| response.body["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 1);
        with_key(&second).await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
        // The key still returns the retry after that has failed, too. Without it, another is created.
        let id = responses[0].body["id"].as_str().unwrap();
        fail(app, id, FailureCode::Internal).await;
        assert_eq!(with_key(&first).await.expect(200).body["id"], id);
        assert_ne!(retry(app, &client, &first).await.expect(202).body["id"], id);
        // The key of a creation is no key of a retry.
        let create = app.post(&format!("/v1/spaces/{space}/scans")).key(&client);
        let create = create.header("idempotency-key", "retry-key-1").json(crate::scans::photos(1));
        create.send().await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
    })
    .await;
}

#[tokio::test]
async fn retry_is_refused_like_any_start_and_can_be_repeated() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let failed = create_failed_scan(&app, &client, space).await;

    app.engine.unavailable.store(true, Ordering::SeqCst);
    let refused = retry(&app, &client, &failed).await.expect_error(503, "ENGINE_UNAVAILABLE");
    let new = refused.body["error"]["scan_id"].as_str().unwrap().to_owned();
    app.engine.unavailable.store(false, Ordering::SeqCst);
    assert_eq!(read(&app, &client, &new).await["status"], "awaiting_upload");

    app.engine.max_in_progress.store(0, Ordering::SeqCst);
    let refused = retry(&app, &client, &failed).await.expect_error(429, "SCANS_IN_PROGRESS");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    app.engine.max_in_progress.store(3, Ordering::SeqCst);

    // All free scans are used.
    for _ in 0..3 {
        create_started_scan(&app, &client, space).await;
    }
    app.engine.max_in_progress.store(10, Ordering::SeqCst);
    let refused = retry(&app, &client, &failed).await.expect_error(402, "INSUFFICIENT_FUNDS");
    assert_eq!(refused.body["error"]["scan_id"], new);
    let credit =
        ledger::Credit { tenant: client.tenant.clone(), cents: 500, free_scans: 0, reference: "gift".into() };
    ledger::credit(app.db(), &credit, Timestamp::now()).await.unwrap();
    let capped = app.create_capped_key(&client.tenant, Some(99)).await;
    retry(&app, &capped, &failed).await.expect_error(402, "SPENDING_CAP_REACHED");

    let started = retry(&app, &client, &failed).await.expect(202).body;
    assert_eq!(started["id"], new, "no attempt created another scan");
    assert_eq!(started["charge"]["price_cents"], 100);
    assert_eq!(count_scans(&app).await, 5);
    app.finish().await;
}

#[tokio::test]
async fn only_scans_that_failed_because_of_the_service_are_retried() {
    let app = TestApp::start().await;
    let (client, other) = (app.client().await, app.client().await);
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let open = create_uploaded_scan(&app, &client, space).await;
    let refused = retry(&app, &client, &open).await.expect_error(409, "SCAN_NOT_RETRYABLE");
    assert_eq!(refused.body["error"]["status"], "awaiting_upload");
    let unreadable = create_started_scan(&app, &client, space).await;
    fail(&app, &unreadable, FailureCode::MediaUnreadable).await;
    let refused = retry(&app, &client, &unreadable).await.expect_error(409, "SCAN_NOT_RETRYABLE");
    assert_eq!(refused.body["error"]["failure"], "MEDIA_UNREADABLE");

    let failed = create_failed_scan(&app, &client, space).await;
    retry(&app, &other, &failed).await.expect_error(404, "NOT_FOUND");
    app.app.objects().delete_prefix(&layout::scan_prefix(&failed.parse().unwrap())).await.unwrap();
    retry(&app, &client, &failed).await.expect_error(409, "SCAN_MEDIA_DELETED");
    let more = call(&app, &client, &failed).json(json!({ "now": true })).send().await;
    assert_eq!(more.expect_error(400, "VALIDATION_FAILED").invalid_fields(), ["now"]);
    app.finish().await;
}
