//! Starting scans: every documented outcome.

use std::sync::atomic::Ordering;

use api::limits::Limit;
use domain::{Stage, Timestamp, media::InputKind};
use entities::{
    outbox::{self, Kind},
    scans as rows, testing,
};
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, Client, TestApp},
    auth::set_confirmed,
    scans::{create_scan, create_started_scan, create_uploaded_scan, photos},
};

async fn start(app: &TestApp, client: &Client, scan: &str) -> ApiResponse {
    app.post(&format!("/v1/scans/{scan}/start")).key(client).json(json!({})).send().await
}

async fn wallet(app: &TestApp, client: &Client) -> Value {
    app.get("/v1/wallet").key(client).send().await.expect(200).body
}

#[tokio::test]
async fn start_charges_once() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_uploaded_scan(&app, &client, space.id.as_str()).await;
    assert_eq!(wallet(&app, &client).await["free_scans"], 3);

    let response = start(&app, &client, &scan).await.expect(202).body;
    assert_eq!(response["status"], "queued");
    assert_eq!(response["charge"], json!({ "kind": "free_scan", "price_cents": 0, "refunded": false }));
    assert_eq!(response["timeline"].as_array().unwrap().len(), 2);
    assert_eq!(response.get("upload"), None);
    let again = start(&app, &client, &scan).await.expect(200).body;
    assert_eq!(again["charge"], response["charge"]);
    assert_eq!(again["id"], response["id"]);
    assert_eq!(wallet(&app, &client).await["free_scans"], 2);
    assert_eq!(app.engine.starts.load(Ordering::SeqCst), 1, "the second response comes from the database");
    app.finish().await;
}

#[tokio::test]
async fn concurrent_starts_charge_once() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await;
        let scan = create_uploaded_scan(app, &client, space.id.as_str()).await;
        let responses = futures::future::join_all((0..16).map(|_| start(app, &client, &scan))).await;
        let mut statuses: Vec<_> = responses.iter().map(|response| response.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 15, "{statuses:?}");
        assert_eq!(wallet(app, &client).await["free_scans"], 2);
    })
    .await;
}

#[tokio::test]
async fn start_reports_the_number_of_missing_uploads() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), photos(3)).await;
    let refused = start(&app, &client, &scan).await.expect_error(409, "UPLOAD_INCOMPLETE");
    assert_eq!(refused.body["error"]["missing"], 3);
    let put =
        app.put(&format!("/v1/scans/{scan}/frames/1")).key(&client).header("content-type", "image/jpeg");
    put.body(crate::uploads::JPEG.to_vec()).send().await.expect(204);
    let refused = start(&app, &client, &scan).await.expect_error(409, "UPLOAD_INCOMPLETE");
    assert_eq!(refused.body["error"]["missing"], 2);
    let read = app.get(&format!("/v1/scans/{scan}")).key(&client).send().await.expect(200).body;
    assert_eq!(read["status"], "awaiting_upload");
    app.finish().await;
}

#[tokio::test]
async fn limits_caps_and_missing_funds_prevent_a_start() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    for _ in 0..3 {
        create_started_scan(&app, &client, space).await;
    }
    let fourth = create_uploaded_scan(&app, &client, space).await;
    let refused = start(&app, &client, &fourth).await.expect_error(429, "SCANS_IN_PROGRESS");
    assert_eq!(refused.body["error"]["limit"], 3);
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);

    // Another account isn't affected; its free scans run out.
    let other = app.client().await;
    let theirs = testing::space(app.db(), &other.tenant).await;
    for _ in 0..3 {
        let scan = create_started_scan(&app, &other, theirs.id.as_str()).await;
        complete_scan(&app, &scan).await;
    }
    let scan = create_uploaded_scan(&app, &other, theirs.id.as_str()).await;
    let refused = start(&app, &other, &scan).await.expect_error(402, "INSUFFICIENT_FUNDS");
    assert_eq!(refused.body["error"]["balance_cents"], 0);
    assert_eq!(refused.body["error"]["price_cents"], 100);

    let credit =
        ledger::Credit { tenant: other.tenant.clone(), cents: 500, free_scans: 0, reference: "gift".into() };
    ledger::credit(app.db(), &credit, Timestamp::now()).await.unwrap();
    let capped = app.create_capped_key(&other.tenant, Some(99)).await;
    start(&app, &capped, &scan).await.expect_error(402, "SPENDING_CAP_REACHED");
    let paid = start(&app, &other, &scan).await.expect(202).body;
    assert_eq!(paid["charge"], json!({ "kind": "scan_charge", "price_cents": 100, "refunded": false }));
    let wallet = wallet(&app, &other).await;
    assert_eq!((&wallet["balance_cents"], &wallet["free_scans"]), (&json!(400), &json!(0)));
    let auto = json!({
        "enabled": false, "threshold_cents": null, "amount_cents": null, "daily_limit_cents": null,
        "in_progress": false,
    });
    assert_eq!(wallet["auto_recharge"], auto);
    app.finish().await;
}

/// Completes a started scan, so that another one can start.
async fn complete_scan(app: &TestApp, scan: &str) {
    let id: domain::ScanId = scan.parse().unwrap();
    let now = Timestamp::now();
    let done = rows::Completion {
        scan_id: id.clone(),
        object_key: domain::layout::document(&id),
        sha256: "0".repeat(64),
        bytes: 2,
    };
    let completed: entities::Result<_> = app
        .db()
        .write(async |txn| {
            rows::begin_stage(&txn, &id, Stage::Saving, now).await?;
            rows::complete(&txn, &done, now).await
        })
        .await;
    assert!(matches!(completed.unwrap(), rows::CompleteOutcome::Completed { .. }));
}

#[tokio::test]
async fn unavailable_engine_charges_nothing() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_uploaded_scan(&app, &client, space.id.as_str()).await;
    app.engine.unavailable.store(true, Ordering::SeqCst);
    let refused = start(&app, &client, &scan).await.expect_error(503, "ENGINE_UNAVAILABLE");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    assert_eq!(wallet(&app, &client).await["free_scans"], 3);
    app.engine.unavailable.store(false, Ordering::SeqCst);
    start(&app, &client, &scan).await.expect(202);
    app.finish().await;
}

#[tokio::test]
async fn unacknowledged_start_is_sent_again() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_uploaded_scan(&app, &client, space.id.as_str()).await;
    app.engine.unacknowledged.store(true, Ordering::SeqCst);
    start(&app, &client, &scan).await.expect(202);
    assert!(outbox::is_pending(app.db(), Kind::ScanStart, &scan).await.unwrap());
    app.engine.unacknowledged.store(false, Ordering::SeqCst);
    start(&app, &client, &scan).await.expect(200);
    // The outbox entry is processed asynchronously.
    let delivered = async {
        while outbox::is_pending(app.db(), Kind::ScanStart, &scan).await.unwrap() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), delivered)
        .await
        .expect("the start is sent to the workflow");
    assert_eq!(wallet(&app, &client).await["free_scans"], 2);
    app.finish().await;
}

#[tokio::test]
async fn start_body_must_be_empty_or_an_empty_object() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_uploaded_scan(&app, &client, space.id.as_str()).await;
    let path = format!("/v1/scans/{scan}/start");
    let more = app.post(&path).key(&client).json(json!({ "now": true })).send().await;
    assert_eq!(more.expect_error(400, "VALIDATION_FAILED").invalid_fields(), ["now"]);
    app.post(&path).key(&client).json(json!([])).send().await.expect_error(400, "VALIDATION_FAILED");
    app.post(&path).key(&client).json(json!(null)).send().await.expect_error(400, "VALIDATION_FAILED");
    let text = app.post(&path).key(&client).header("content-type", "text/plain").body("{}").send().await;
    text.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    app.post(&path).key(&client).send().await.expect(202);
    app.finish().await;
}

#[tokio::test]
async fn expired_scan_counts_as_cancelled() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let mut new = testing::new_scan(&client.tenant, &space.id, testing::frames_input(1));
    new.start_window = std::time::Duration::ZERO;
    let created: entities::Result<_> =
        app.db().write(async |txn| rows::create(&txn, &new, Timestamp::now()).await).await;
    let rows::CreateOutcome::Created(scan) = created.unwrap() else { panic!("not created") };
    assert_eq!(scan.input.kind, InputKind::Frames);
    let id = scan.id.as_str();
    start(&app, &client, id).await.expect_error(409, "SCAN_CANCELLED");
    let put = app.put(&format!("/v1/scans/{id}/frames/0")).key(&client).header("content-type", "image/jpeg");
    put.body(crate::uploads::JPEG.to_vec()).send().await.expect_error(409, "SCAN_CANCELLED");
    let read = app.get(&format!("/v1/scans/{id}")).key(&client).send().await.expect(200);
    assert_eq!(read.body.get("upload"), None, "a cancelled scan has no upload URL");
    app.finish().await;
}

#[tokio::test]
async fn test_scans_are_limited_per_day_and_account() {
    let app = TestApp::with(|settings| settings.limits.test_scans_daily = Limit::per_day(2)).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let incomplete = create_scan(&app, &client, space, photos(1)).await;
    for _ in 0..3 {
        start(&app, &client, &incomplete).await.expect_error(409, "UPLOAD_INCOMPLETE");
    }
    let first = create_started_scan(&app, &client, space).await;
    start(&app, &client, &first).await.expect(200);
    // An outage of the engine starts nothing, so it doesn't count.
    let second = create_uploaded_scan(&app, &client, space).await;
    app.engine.unavailable.store(true, Ordering::SeqCst);
    start(&app, &client, &second).await.expect_error(503, "ENGINE_UNAVAILABLE");
    app.engine.unavailable.store(false, Ordering::SeqCst);
    start(&app, &client, &second).await.expect(202);

    let third = create_uploaded_scan(&app, &client, space).await;
    let other_key = app.create_key(&client.tenant).await;
    let refused = start(&app, &other_key, &third).await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    let wait = refused.body["error"]["retry_after"].as_u64().expect("a daily limit");
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    let policies = refused.headers.get_all("ratelimit-policy");
    assert!(policies.iter().any(|policy| policy == "\"test_scans_daily\";q=2;w=86400"));
    start(&app, &client, &second).await.expect(200);
    // Live scans are paid, and other accounts have their own limit.
    let live = app.create_key(&testing::other_mode(&client.tenant)).await;
    let live_space = testing::space(app.db(), &live.tenant).await;
    create_started_scan(&app, &live, live_space.id.as_str()).await;
    let other = app.client().await;
    let other_space = testing::space(app.db(), &other.tenant).await;
    create_started_scan(&app, &other, other_space.id.as_str()).await;
    app.finish().await;
}

#[tokio::test]
async fn live_free_scans_require_a_confirmed_address() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let live = app.create_key(&testing::other_mode(&client.tenant)).await;
    let space = testing::space(app.db(), &live.tenant).await;
    set_confirmed(&app, &live.tenant, None).await;
    let scan = create_uploaded_scan(&app, &live, space.id.as_str()).await;
    start(&app, &live, &scan).await.expect_error(403, "EMAIL_NOT_CONFIRMED");
    assert_eq!(wallet(&app, &live).await["free_scans"], 3);
    // A key that exists stays, and the balance pays.
    let credit =
        ledger::Credit { tenant: live.tenant.clone(), cents: 100, free_scans: 0, reference: "gift".into() };
    ledger::credit(app.db(), &credit, Timestamp::now()).await.unwrap();
    let paid = start(&app, &live, &scan).await.expect(202).body;
    assert_eq!(paid["charge"]["kind"], "scan_charge");
    // In test mode, free scans need no address.
    let test_space = testing::space(app.db(), &client.tenant).await;
    create_started_scan(&app, &client, test_space.id.as_str()).await;
    let scan = create_uploaded_scan(&app, &live, space.id.as_str()).await;
    start(&app, &live, &scan).await.expect_error(403, "EMAIL_NOT_CONFIRMED");
    set_confirmed(&app, &live.tenant, Some(Timestamp::now())).await;
    let free = start(&app, &live, &scan).await.expect(202).body;
    assert_eq!(free["charge"]["kind"], "free_scan");
    app.finish().await;
}
