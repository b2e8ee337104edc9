//! Forced outcomes: a test client requests them with the `external_id` of a space.

use std::time::Duration;

use harness::{ApiClient, Service, ServiceOptions, clips::Clip};
use serde_json::{Value, json};

use crate::SCAN_TIMEOUT;

#[tokio::test(flavor = "multi_thread")]
async fn external_id_forces_failures_and_delays_in_test_mode() {
    let service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let clip = Clip::moving(2);
    let account = service.account().unwrap();
    let caller = service.client(&account);
    for stage in ["ingesting", "observing", "fusing", "enriching", "saving"] {
        let scan = start_scan(&caller, &clip, &format!("test:fail:{stage}")).await;
        let failed = caller.await_status(&scan, "failed", SCAN_TIMEOUT).await;
        assert_eq!(failed["error"]["code"], "FORCED_FAILURE", "{failed}");
        assert_eq!(failed["error"]["stage"], stage, "{failed}");
        assert_eq!(failed["charge"]["refunded"], true, "{failed}");
    }
    let scan = start_scan(&caller, &clip, "test:slow").await;
    let complete = caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    let stages: Vec<_> = complete["timeline"].as_array().unwrap().iter().collect();
    let at = |name: &str| {
        let entry = stages.iter().find(|entry| entry["stage"] == name || entry["status"] == name);
        time(&entry.unwrap_or_else(|| panic!("no {name} in {complete}"))["at"])
    };
    for (stage, next) in [("ingesting", "observing"), ("observing", "fusing"), ("saving", "complete")] {
        assert!(at(next) - at(stage) >= Duration::from_secs(5), "{stage}: {complete}");
    }

    // In live mode the `external_id` has no effect.
    let live = service.admin(&["create-key", "--account", &account.id, "--mode", "live"]).unwrap();
    let live = ApiClient::new(service.api_url(), live["secret"].as_str().unwrap().to_owned());
    let scan = start_scan(&live, &clip, "test:fail:ingesting").await;
    live.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    service.admin(&["verify-ledger"]).unwrap();
}

fn time(text: &Value) -> Duration {
    let time: domain::Timestamp = serde_json::from_value(text.clone()).expect("a time");
    Duration::from_millis(u64::try_from(time.as_millis()).expect("after 1970"))
}

async fn start_scan(caller: &ApiClient, clip: &Clip, external_id: &str) -> Value {
    let body = json!({ "name": "Forced", "space_type": "office", "external_id": external_id });
    let space = caller.post("/spaces", body).await.expect(201).text("id");
    let scan = caller.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body;
    caller.upload(&scan, clip).await.expect(204);
    caller.start(&scan).await.expect(202);
    scan
}
