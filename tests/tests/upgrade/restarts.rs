//! Workers that replace themselves, and workers that stop.

use std::time::Duration;

use harness::{ApiClient, Service, ServiceOptions, api_client::id, clips::Clip};
use serde_json::{Value, json};
use workflows::scan_workflow_id;

use crate::{SCAN_TIMEOUT, history::History};

/// Activities after which a worker is replaced in these tests.
const LIMIT: u64 = 3;
/// Line of the log for each replaced worker.
const RESTARTED: &str = "worker restarts to free memory";

/// Creates and starts a scan that takes five seconds longer in each stage: longer than the grace
/// period of these tests.
async fn start_slow_scan(caller: &ApiClient) -> Value {
    let clip = Clip::moving(2);
    let space = json!({ "name": "Slow", "space_type": "apartment", "external_id": "test:slow" });
    let space = caller.post("/spaces", space).await.expect(201).text("id");
    let scan = caller.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body;
    caller.upload(&scan, &clip).await.expect(204);
    caller.start(&scan).await.expect(202);
    scan
}

async fn history(service: &Service, scan: &Value) -> History {
    History::read(&service.engine_url(), &scan_workflow_id(&id(scan).parse().unwrap())).await
}

fn restarts(service: &Service) -> usize {
    let log = std::fs::read_to_string(service.folder().join("scan.log")).unwrap();
    log.lines().filter(|line| line.contains(RESTARTED)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn scans_continue_while_workers_are_replaced_and_each_activity_runs_once() {
    let options = ServiceOptions::default()
        .set("WORKERS__RESTART_AFTER_ACTIVITIES", LIMIT)
        .set("WORKERS__GRACE_SECONDS", 1);
    let service = Service::start(options, None).await.unwrap();
    let account = service.account().unwrap();
    let caller = service.client(&account);
    let mut scans = Vec::new();
    // An account may have three scans in progress.
    for _ in 0..3 {
        scans.push(start_slow_scan(&caller).await);
    }
    for scan in &scans {
        caller.await_status(scan, "complete", SCAN_TIMEOUT).await;
    }
    let restarts = restarts(&service);
    eprintln!("{restarts} restarts");
    assert!(restarts >= 5, "only {restarts} restarts");
    for scan in &scans {
        let attempts = history(&service, scan).await.attempts();
        assert!(attempts.contains_key("ingest") && attempts.contains_key("save"), "{attempts:?}");
        assert!(attempts.values().flatten().all(|attempt| *attempt == 1), "{attempts:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_process_ends_its_activities_after_the_grace_period_and_they_are_repeated() {
    let options = ServiceOptions::default().set("WORKERS__GRACE_SECONDS", 1);
    let mut service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = start_slow_scan(&caller).await;
    caller.await_status(&scan, "processing", SCAN_TIMEOUT).await;
    let began = std::time::Instant::now();
    assert!(service.stop().await.success());
    // The stage alone would take five seconds, and an abandoned one eleven.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    service.restart().await.unwrap();
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    let failures = history(&service, &scan).await.earlier_failures();
    assert!(failures.iter().any(|failure| failure.contains("STOPPED")), "{failures:?}");
}
