//! Crashes (signal 9) after each step of an export and of an erasure. The next process continues,
//! and no account stays partially erased.

use domain::{AccountId, ScanStatus, layout};
use entities::{Db, accounts, payment_methods, scans};
use harness::{Account, ConsoleClient, Service, ServiceOptions, api_client::id, clips::Clip};
use reqwest::Method;
use serde_json::{Value, json};
use temporalio_client::WorkflowDescribeOptions;
use workflows::{ErasureWorkflow, erasure_workflow_id};

use crate::{SCAN_TIMEOUT, on_each_database};

const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "four unrelated plain words";

/// Creates an account with a card, an export in progress, and a scan that awaits its start with an
/// upload.
async fn account_with_data(service: &Service) -> (ConsoleClient, Account, Value) {
    let mut ann = ConsoleClient::new(service);
    ann.sign_up(EMAIL, PASSWORD).await.expect(202);
    ann.log_in(EMAIL, PASSWORD).await.expect(200);
    let session = ann.get("/auth/session").await.expect(200).body;
    let account = service.account_with_key(session["account"]["id"].as_str().unwrap()).unwrap();
    let scan = service.client(&account).create_uploaded_scan(&Clip::moving(2)).await;
    let card = json!({ "payment_method": "pm_card_visa" });
    ann.call(Method::PUT, "/billing/payment-method", Some(card)).await.expect(200);
    (ann, account, scan)
}

async fn until(condition: &str, db: &Db, holds: impl AsyncFn(&Db) -> bool) {
    harness::until(condition, SCAN_TIMEOUT, async || holds(db).await.then_some(())).await;
}

/// Returns whether the erasure workflow has ended.
async fn has_ended(service: &Service, account: &AccountId) -> bool {
    let engine = service.engine();
    let client = engine.client().await.unwrap();
    let handle = client.get_workflow_handle::<ErasureWorkflow>(erasure_workflow_id(account));
    let described = handle.describe(WorkflowDescribeOptions::default()).await.unwrap();
    described.raw().workflow_execution_info.as_ref().is_some_and(|info| info.close_time.is_some())
}

#[tokio::test(flavor = "multi_thread")]
async fn export_and_erasure_survive_crashes_after_each_step() {
    let first =
        || ServiceOptions { failpoints: Some("export_account=pause".into()), ..ServiceOptions::default() };
    on_each_database(first, async |mut service| {
        let (ann, account, scan) = account_with_data(&service).await;
        let (db, account_id) = (service.database().await.unwrap(), account.id.parse::<AccountId>().unwrap());
        let scan_id = id(&scan).parse().unwrap();
        let objects = layout::scan_prefix(&scan_id);
        assert!(!service.objects_below(&objects).is_empty(), "the objects exist before the erasure");

        let export = ann.post("/auth/exports", json!({})).await.expect(202).text("id");
        let path = format!("/auth/exports/{export}");
        harness::until("the archive", SCAN_TIMEOUT, async || {
            (ann.get(&path).await.expect(200).body["state"] == "ready").then_some(())
        })
        .await;
        service.kill();
        service.restart_with_failpoints("settle_account=pause").await.unwrap();
        assert!(ann.download(&format!("{path}/archive")).await.starts_with(b"PK"), "the export is complete");

        ann.call(Method::DELETE, "/auth/account", Some(json!({ "password": PASSWORD }))).await.expect(202);
        let row = async |db: &Db| scans::system::find(db, &scan_id).await.unwrap().unwrap();
        until("the scan to be cancelled", &db, async |db| row(db).await.status.0 == ScanStatus::Cancelled)
            .await;
        service.kill();
        service.restart_with_failpoints("erase_objects=pause").await.unwrap();
        until("the objects to be gone", &db, async |_| service.objects_below(&objects).is_empty()).await;
        let account_of = async |db: &Db| accounts::find(db, &account_id).await.unwrap().unwrap();
        assert!(account_of(&db).await.erased_at.is_none(), "records are erased last");
        service.kill();
        service.restart_with_failpoints("erase_records=pause").await.unwrap();
        until("the records to be gone", &db, async |db| account_of(db).await.erased_at.is_some()).await;
        service.kill();
        service.restart().await.unwrap();
        harness::until("the workflow to end", SCAN_TIMEOUT, async || {
            has_ended(&service, &account_id).await.then_some(())
        })
        .await;

        let tenant = domain::mode::Tenant { account_id, mode: domain::Mode::Test };
        assert_eq!(payment_methods::find(&db, &tenant).await.unwrap(), None);
        assert_eq!(
            row(&db).await.input.frames.as_ref().map(Vec::len),
            Some(0),
            "the declared frames are erased"
        );
        db.close().await.unwrap();
        service.admin(&["verify-ledger"]).unwrap();
    })
    .await;
}
