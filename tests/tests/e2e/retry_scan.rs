//! Scans that failed because of the service are retried from their kept media.

use harness::{Service, api_client::id, clips::Clip};
use serde_json::{Value, json};

use crate::{SCAN_TIMEOUT, outages::Storage};

#[tokio::test(flavor = "multi_thread")]
async fn failed_scans_are_retried_by_their_owner_and_by_an_operator() {
    let mut storage = Storage::start().await;
    let options = storage.options().set("SCANS__MAX_OUTAGE_SECONDS", 2);
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let (by_owner, by_operator) = (
        caller.create_uploaded_scan(&Clip::moving(2)).await,
        caller.create_uploaded_scan(&Clip::moving(2)).await,
    );
    storage.turn_off().await;
    for scan in [&by_owner, &by_operator] {
        caller.start(scan).await.expect(202);
    }
    for scan in [&by_owner, &by_operator] {
        let failed = caller.await_status(scan, "failed", SCAN_TIMEOUT).await;
        assert_eq!(failed["error"]["code"], "PIPELINE_ERROR");
    }
    storage.turn_on().await;

    // The owner retries it twice, and gets the same new scan.
    let path = format!("/scans/{}/retry", id(&by_owner));
    let retry = caller.post(&path, json!({})).await.expect(202).body;
    assert_eq!((&retry["retry_of"], &retry["charge"]["refunded"]), (&by_owner["id"], &json!(false)));
    assert_eq!(caller.post(&path, json!({})).await.expect(200).body["id"], retry["id"]);

    // So does an operator.
    let command = ["retry-scan", id(&by_operator)];
    let first = service.admin(&command).unwrap();
    assert_eq!((&first["retry_of"], &first["start"]["outcome"]), (&by_operator["id"], &json!("started")));
    let second = service.admin(&command).unwrap();
    assert_eq!(second["scan_id"], first["scan_id"]);
    assert!(service.admin(&["retry-scan", id(&retry)]).is_err(), "it has not failed");

    let operators = caller.get(&format!("/scans/{}", first["scan_id"].as_str().unwrap())).await;
    for scan in [&retry, &operators.expect(200).body] {
        let done = caller.await_status(scan, "complete", SCAN_TIMEOUT).await;
        assert_eq!(done["charge"]["refunded"], false);
    }
    for scan in [&by_owner, &by_operator] {
        let failed: Value = caller.scan(scan).await;
        assert_eq!((&failed["status"], &failed["charge"]["refunded"]), (&json!("failed"), &json!(true)));
    }
    // Each retry is charged once.
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 1);
    service.admin(&["verify-ledger"]).unwrap();
}
