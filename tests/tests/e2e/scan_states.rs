//! Each row of the documented state table, and each response of the start endpoint.

use std::time::Duration;

use domain::layout;
use harness::{Account, ApiClient, Service, ServiceOptions, api_client::id, clips::Clip};
use serde_json::json;

use crate::{SCAN_TIMEOUT, on_each_database};

#[tokio::test(flavor = "multi_thread")]
async fn scans_follow_the_state_table() {
    on_each_database(ServiceOptions::default, async |service| {
        let account = || service.client(&service.account().unwrap());
        let paying = service.account().unwrap();
        let clip = Clip::moving(4);
        let (a, b, c, d) = (account(), account(), account(), account());
        tokio::join!(
            start_requires_complete_uploads(&a, &clip),
            cancelled_scan_stays_cancelled(&b, &clip),
            concurrent_starts_start_once(&c, &clip),
            uploads_are_rejected_after_start(&d, &clip),
            start_requires_funds(&service, &paying, &clip),
        );
        service.admin(&["verify-ledger"]).unwrap();
    })
    .await;
}

async fn start_requires_complete_uploads(caller: &ApiClient, clip: &Clip) {
    let scan = caller.create_scan(clip).await;
    let refused = caller.start(&scan).await.expect(409);
    assert_eq!(refused.code(), "UPLOAD_INCOMPLETE");
    assert_eq!(caller.scan(&scan).await["status"], "awaiting_upload");
    // Uploads can be repeated while the scan awaits them.
    caller.upload(&scan, clip).await.expect(204);
    caller.upload(&scan, clip).await.expect(204);
    caller.start(&scan).await.expect(202);
}

async fn cancelled_scan_stays_cancelled(caller: &ApiClient, clip: &Clip) {
    let scan = caller.create_uploaded_scan(clip).await;
    let path = format!("/scans/{}", id(&scan));
    caller.delete(&path).await.expect(204);
    assert_eq!(caller.scan(&scan).await["status"], "cancelled");
    assert_eq!(caller.start(&scan).await.expect(409).code(), "SCAN_CANCELLED");
    assert_eq!(caller.upload(&scan, clip).await.expect(409).code(), "SCAN_CANCELLED");
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3);
}

async fn concurrent_starts_start_once(caller: &ApiClient, clip: &Clip) {
    let scan = caller.create_uploaded_scan(clip).await;
    // Several concurrent starts: one starts the scan, the others return the started scan, and one
    // free scan is used.
    let starts = futures::future::join_all((0..6).map(|_| caller.start(&scan))).await;
    let statuses: Vec<_> = starts.iter().map(|s| s.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|s| **s == 202).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|s| **s == 200).count(), 5, "{statuses:?}");
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2);
    let refused = caller.delete(&format!("/scans/{}", id(&scan))).await.expect(409);
    assert_eq!(refused.code(), "SCAN_NOT_CANCELLABLE");
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    let again = caller.start(&scan).await.expect(200);
    assert_eq!(again.body["status"], "complete");
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2);
}

async fn uploads_are_rejected_after_start(caller: &ApiClient, clip: &Clip) {
    let scan = caller.create_uploaded_scan(clip).await;
    caller.start(&scan).await.expect(202);
    assert_eq!(caller.upload(&scan, clip).await.expect(409).code(), "SCAN_ALREADY_STARTED");
    let space = scan["space_id"].as_str().unwrap();
    // A space with a running scan cannot be deleted. The scan may have completed by now.
    let deleted = caller.delete(&format!("/spaces/{space}")).await;
    assert!(deleted.status == 204 || deleted.code() == "SPACE_BUSY", "{}", deleted.body);
}

async fn start_requires_funds(service: &Service, account: &Account, clip: &Clip) {
    let caller = service.client(account);
    for _ in 0..3 {
        let scan = caller.create_uploaded_scan(clip).await;
        caller.start(&scan).await.expect(202);
        caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    }
    let scan = caller.create_uploaded_scan(clip).await;
    let refused = caller.start(&scan).await.expect(402);
    assert_eq!(refused.code(), "INSUFFICIENT_FUNDS");
    assert_eq!(refused.body["error"]["balance_cents"], 0);
    assert_eq!(refused.body["error"]["price_cents"], 150);
    assert_eq!(caller.scan(&scan).await["status"], "awaiting_upload");
    let grant =
        ["grant", "--account", &account.id, "--mode", "test", "--cents", "150", "--reference", "first"];
    service.admin(&grant).unwrap();
    let capped = service
        .admin(&["create-key", "--account", &account.id, "--mode", "test", "--monthly-cap-cents", "149"])
        .unwrap();
    let capped = ApiClient::new(service.api_url(), capped["secret"].as_str().unwrap().to_owned());
    assert_eq!(capped.start(&scan).await.expect(402).code(), "SPENDING_CAP_REACHED");
    let started = caller.start(&scan).await.expect(202).body;
    assert_eq!(started["charge"], json!({ "kind": "scan_charge", "price_cents": 150, "refunded": false }));
    assert_eq!(caller.get("/wallet").await.expect(200).body["balance_cents"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn start_respects_the_limit_of_running_scans() {
    // The pipeline pauses after its first database step, so the scans stay in progress.
    let options =
        ServiceOptions { failpoints: Some("secure_media=pause".into()), ..ServiceOptions::default() };
    let service = Service::start(options, None).await.unwrap();
    let clip = Clip::moving(2);

    let account = service.account().unwrap();
    let caller = service.client(&account);
    let mut scans = Vec::new();
    for _ in 0..4 {
        scans.push(caller.create_uploaded_scan(&clip).await);
    }
    let starts = futures::future::join_all(scans.iter().map(|scan| caller.start(scan))).await;
    let codes: Vec<_> = starts.iter().map(|s| (s.status.as_u16(), s.code().to_owned())).collect();
    assert_eq!(codes.iter().filter(|(status, _)| *status == 202).count(), 3, "{codes:?}");
    let refused = starts.iter().find(|s| s.status != 202).unwrap();
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "SCANS_IN_PROGRESS"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unstarted_scan_is_cancelled_after_its_start_window() {
    let options = ServiceOptions::default().set("SCANS__START_WINDOW_SECONDS", 3);
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
    let uploads = layout::upload_prefix(&id(&scan).parse().unwrap());
    let ended = caller.await_status(&scan, "cancelled", Duration::from_secs(60)).await;
    assert!(ended["finished_at"].is_string());
    assert_eq!(caller.start(&scan).await.expect(409).code(), "SCAN_CANCELLED");
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3);
    // Its uploads are deleted.
    harness::until("the uploads to be deleted", Duration::from_secs(60), async || {
        service.objects_below(&uploads).is_empty().then_some(())
    })
    .await;
}
