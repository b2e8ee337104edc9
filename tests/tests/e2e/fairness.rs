//! Fairness between accounts: many scans of one account barely delay the first scan of another.
#![expect(clippy::print_stdout, reason = "the measurement")]

use std::time::Instant;

use harness::{ApiClient, Service, ServiceOptions, api_client::id, clips::Clip};
use serde_json::Value;
use temporalio_client::WorkflowFetchHistoryOptions;
use workflows::{ScanWorkflow, scan_workflow_id};

use crate::SCAN_TIMEOUT;

/// Number of scans of the busy account. Each occupies the only worker of its queue for half a second.
const BACKLOG: usize = 12;
/// Maximum time of the other account's scan, as a part of the time that the whole backlog takes. In
/// order of arrival it would take longer than the backlog.
const MAX_SHARE: f64 = 0.5;

#[tokio::test(flavor = "multi_thread")]
async fn a_backlog_of_one_account_barely_delays_the_first_scan_of_another() {
    let options =
        ServiceOptions { failpoints: Some("observe_frames=sleep(500)".into()), ..ServiceOptions::default() }
            .without_models()
            .set("WORKERS__MEDIA_SLOTS", 1)
            .set("WORKERS__VISION_SLOTS", 1)
            .set("WORKERS__FUSION_SLOTS", 1)
            .set("SCANS__MAX_IN_PROGRESS", BACKLOG);
    let service = Service::start(options, None).await.unwrap();
    let clip = Clip::moving(1);
    let (busy, other) = (service.account().unwrap(), service.account().unwrap());
    let cents = (BACKLOG * 150).to_string();
    let grant =
        ["grant", "--account", &busy.id, "--mode", "test", "--cents", &cents, "--reference", "backlog"];
    service.admin(&grant).unwrap();
    let (busy_client, other_client) = (service.client(&busy), service.client(&other));
    let first = other_client.create_uploaded_scan(&clip).await;
    let mut backlog = Vec::new();
    for _ in 0..BACKLOG {
        backlog.push(busy_client.create_uploaded_scan(&clip).await);
    }

    for scan in &backlog {
        busy_client.start(scan).await.expect(202);
    }
    let started = Instant::now();
    other_client.start(&first).await.expect(202);
    other_client.await_status(&first, "complete", SCAN_TIMEOUT).await;
    let waited = started.elapsed();
    for scan in &backlog {
        busy_client.await_status(scan, "complete", SCAN_TIMEOUT).await;
    }
    let whole = started.elapsed();

    let share = waited.as_secs_f64() / whole.as_secs_f64();
    println!("the other account waited {waited:?} of {whole:?}: {share:.2}");
    assert!(share <= MAX_SHARE, "the other account waited {waited:?} of {whole:?}");
    assert_eq!(workflow_fairness_key(&service, &other_client, &first).await, other.id);
}

/// Returns the fairness key of a scan's workflow, which its workflow tasks and activities inherit.
async fn workflow_fairness_key(service: &Service, client: &ApiClient, scan: &Value) -> String {
    let scan = client.scan(scan).await;
    let engine = service.engine();
    let workflow = scan_workflow_id(&id(&scan).parse().unwrap());
    let handle = engine.client().await.unwrap().get_workflow_handle::<ScanWorkflow>(workflow);
    let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
    let history: Value = serde_json::from_slice(&history.to_json().await.unwrap()).unwrap();
    let start = &history["events"][0]["attributes"]["WorkflowExecutionStartedEventAttributes"];
    start["priority"]["fairness_key"].as_str().unwrap_or_default().to_owned()
}
