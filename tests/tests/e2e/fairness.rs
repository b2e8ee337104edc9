//! Fairness between accounts: many scans of one account barely delay the first scan of another.
#![expect(clippy::print_stdout, reason = "the measurement")]

use std::time::Duration;

use harness::{Service, ServiceOptions, api_client::id, clips::Clip, wait};
use serde_json::Value;
use temporalio_client::WorkflowFetchHistoryOptions;
use workflows::{ScanWorkflow, scan_workflow_id};

use crate::SCAN_TIMEOUT;

/// Number of scans of the busy account, which wait for the only worker before the other account's scan.
const BACKLOG: usize = 12;
/// Maximum part of the backlog that completes before the other account's scan. In order of arrival, all of
/// it would.
const MAX_SHARE: f64 = 0.5;

#[tokio::test(flavor = "multi_thread")]
async fn a_backlog_of_one_account_barely_delays_the_first_scan_of_another() {
    let options = ServiceOptions::default()
        .without_models()
        .set("WORKERS__MEDIA_SLOTS", 1)
        .set("WORKERS__VISION_SLOTS", 1)
        .set("WORKERS__FUSION_SLOTS", 1)
        .set("SCANS__MAX_IN_PROGRESS", BACKLOG)
        .set("SCANS__PRICES__VIDEO_CENTS", 0);
    let service = Service::start(options, None).await.unwrap();
    let clip = Clip::moving(1);
    let (busy, other) = (service.account().unwrap(), service.account().unwrap());
    let (busy_client, other_client) = (service.client(&busy), service.client(&other));
    let first = other_client.create_uploaded_scan(&clip).await;
    let mut backlog = Vec::new();
    for _ in 0..BACKLOG {
        backlog.push(busy_client.create_uploaded_scan(&clip).await);
    }

    // All scans wait for the only slot of the queue `media`, those of the busy account in front.
    service.failpoints().hold("before_ingest", "any");
    for scan in &backlog {
        busy_client.start(scan).await.expect(202);
    }
    for scan in &backlog {
        await_queued(&service, scan).await;
    }
    other_client.start(&first).await.expect(202);
    await_queued(&service, &first).await;
    service.failpoints().release("before_ingest", "any");

    let completed = completion_time(&other_client.await_status(&first, "complete", SCAN_TIMEOUT).await);
    let mut earlier = 0;
    for scan in &backlog {
        let scan = busy_client.await_status(scan, "complete", SCAN_TIMEOUT).await;
        earlier += usize::from(completion_time(&scan) < completed);
    }
    let share = earlier as f64 / BACKLOG as f64;
    println!("{earlier} of the {BACKLOG} scans in front completed earlier: {share:.2}");
    assert!(share <= MAX_SHARE, "{earlier} of {BACKLOG} scans completed before the other account's scan");
}

fn completion_time(scan: &Value) -> domain::Timestamp {
    let timeline = scan["timeline"].as_array().unwrap();
    let entry = timeline.iter().find(|entry| entry["status"] == "complete").unwrap();
    serde_json::from_value(entry["at"].clone()).unwrap()
}

/// Waits until the engine has queued the stage `ingest` of a scan.
async fn await_queued(service: &Service, scan: &Value) {
    wait::until("ingest to be queued", Duration::from_secs(60), async || {
        let is_ingest = |event: &Value| {
            let scheduled = &event["attributes"]["ActivityTaskScheduledEventAttributes"];
            scheduled["activity_type"]["name"] == "ingest"
        };
        history(service, scan).await.iter().any(is_ingest).then_some(())
    })
    .await;
}

/// Returns the events of a scan's workflow.
async fn history(service: &Service, scan: &Value) -> Vec<Value> {
    let engine = service.engine();
    let workflow = scan_workflow_id(&id(scan).parse().unwrap());
    let handle = engine.client().await.unwrap().get_workflow_handle::<ScanWorkflow>(workflow);
    let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
    let history: Value = serde_json::from_slice(&history.to_json().await.unwrap()).unwrap();
    history["events"].as_array().unwrap().clone()
}
