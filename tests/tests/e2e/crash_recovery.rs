//! Crash recovery after signal 9 at critical moments: every outbox entry is still processed, once.

use std::time::Duration;

use harness::{Service, ServiceOptions, clips::Clip};

use crate::SCAN_TIMEOUT;

/// Maximum time of a scan after a crash. Longer than [`SCAN_TIMEOUT`], because a stage restarts
/// only after a missed heartbeat.
const TIMEOUT_AFTER_CRASH: Duration = Duration::from_secs(240);

/// An update is durable only once its workflow task completes. The process crashes between the
/// commit of the charge and that task: the scan is charged, and its workflow doesn't know the
/// start.
#[tokio::test(flavor = "multi_thread")]
async fn recovers_from_a_crash_between_charge_and_workflow_task() {
    let options = ServiceOptions { failpoints: Some("charge=pause".into()), ..ServiceOptions::default() };
    let mut service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(3)).await;
    let (starter, scan_to_start) = (caller.clone(), scan.clone());
    let pending_start = tokio::spawn(async move { starter.start(&scan_to_start).await });
    caller.await_status(&scan, "queued", SCAN_TIMEOUT).await;
    service.kill();
    pending_start.abort();

    service.restart().await.unwrap();
    // The client doesn't retry: the outbox entry alone starts the scan.
    let done = caller.await_status(&scan, "complete", TIMEOUT_AFTER_CRASH).await;
    assert_eq!(done["charge"]["refunded"], false);
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2, "charged once");
    caller.start(&scan).await.expect(200);
    service.admin(&["verify-ledger"]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn recovers_from_a_crash_in_the_middle_of_a_scan() {
    let options = ServiceOptions { failpoints: Some("ingest=pause".into()), ..ServiceOptions::default() };
    let mut service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(3)).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "processing", SCAN_TIMEOUT).await;
    let children = children_of(service.pid().unwrap());
    assert!(!children.is_empty(), "Temporal is a child process");
    service.kill();
    // The whole process tree is gone, so the ports and the folder are free.
    harness::until("the children to exit with their parent", Duration::from_secs(10), async || {
        children.iter().all(|pid| !is_alive(*pid)).then_some(())
    })
    .await;

    service.restart().await.unwrap();
    caller.await_status(&scan, "complete", TIMEOUT_AFTER_CRASH).await;
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2, "charged once");
    service.admin(&["verify-ledger"]).unwrap();
}

fn children_of(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|children| children.split_whitespace().filter_map(|c| c.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Returns whether a process is alive and not a zombie.
fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
        state.is_some_and(|s| s != "Z" && s != "X")
    })
}
