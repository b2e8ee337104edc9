//! Every activity runs twice because its first result is lost. Its effects happen once.

use std::time::Duration;

use harness::{Receiver, Service, ServiceOptions, api_client::id, clips::Clip};
use serde_json::{Value, json};

use crate::SCAN_TIMEOUT;

const FAILPOINTS: [&str; 15] = [
    "verify_uploads",
    "charge",
    "cancel_scan",
    "secure_media",
    "discard_media",
    "ingest",
    "observe_frames",
    "listen",
    "fuse",
    "enrich",
    "save",
    "refund",
    "emit_event",
    "deliver_recorded",
    "deliver",
];

/// Starts a service on which the first result of each activity is lost.
async fn start_losing_results(receiver: &Receiver) -> Service {
    let failpoints = FAILPOINTS.map(|name| format!("{name}=1*return")).join(";");
    let options = ServiceOptions { failpoints: Some(failpoints), ..ServiceOptions::default() };
    Service::start(options, Some(receiver)).await.unwrap()
}

fn stages(scan: &Value) -> Vec<&str> {
    scan["timeline"].as_array().unwrap().iter().filter_map(|t| t["stage"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn scan_completes_once_if_all_activities_run_twice() {
    let receiver = Receiver::start().await.unwrap();
    let service = start_losing_results(&receiver).await;
    let account = service.account().unwrap();
    service.register(&account, &receiver).unwrap();
    let caller = service.client(&account);
    let with_audio = [
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=640x360:rate=10:duration=4",
        "-f",
        "lavfi",
        "-i",
        "sine=duration=4",
    ];
    let scan = caller.create_uploaded_scan(&Clip::from_inputs(&with_audio, &["-c:a", "aac"])).await;
    caller.start(&scan).await.expect(202);
    let done = caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    assert_eq!(done["document_revision"], 1);
    assert_eq!(stages(&done), ["ingesting", "observing", "fusing", "enriching", "saving"]);
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2);
    let event = format!("evt_{}_completed", id(&scan));
    // Delivery is at least once: the attempt whose result was lost is repeated with the same bytes.
    harness::until("two attempts", Duration::from_secs(60), async || {
        (receiver.received().iter().filter(|r| r.event_id == event).count() == 2).then_some(())
    })
    .await;
    let bodies: Vec<_> = receiver.received().into_iter().map(|r| r.body).collect();
    assert_eq!(bodies[0], bodies[1]);
    let events = caller.get("/events").await.expect(200).body;
    assert_eq!(events["data"].as_array().unwrap().len(), 1);

    let cancelled = caller.create_uploaded_scan(&Clip::moving(2)).await;
    caller.delete(&format!("/scans/{}", id(&cancelled))).await.expect(204);
    assert_eq!(caller.scan(&cancelled).await["timeline"].as_array().unwrap().len(), 2);
    service.admin(&["verify-ledger"]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn scan_that_fails_twice_is_refunded_once() {
    let receiver = Receiver::start().await.unwrap();
    let service = start_losing_results(&receiver).await;
    let caller = service.client(&service.account().unwrap());
    let clip = Clip::moving(3);
    let truncated = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
    let scan = caller.create_uploaded_scan(&truncated).await;
    caller.start(&scan).await.expect(202);
    let failed = caller.await_status(&scan, "failed", SCAN_TIMEOUT).await;
    let charge = json!({ "kind": "free_scan", "price_cents": 0, "refunded": true });
    assert_eq!(failed["charge"], charge);
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3);
    service.admin(&["verify-ledger"]).unwrap();
}
