//! Signal 9 at the worst moments. Whatever was promised still happens, once.

use std::time::Duration;

use harness::{Service, ServiceOptions, clips::Clip};

use crate::SCAN_TIMEOUT;

/// After a death, a stage is started again when its heartbeat is missed, so this takes a while longer.
const AFTER_A_DEATH: Duration = Duration::from_secs(240);

/// An update is durable only once its workflow task completes. The process dies between the commit of
/// the charge and that: the scan is charged, and its workflow has never heard of it.
#[tokio::test(flavor = "multi_thread")]
async fn killed_between_charge_and_workflow_task() {
    let options = ServiceOptions { failpoints: Some("charge=pause".into()), ..ServiceOptions::default() };
    let mut service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(3)).await;
    let starting = caller.clone();
    let asked = scan.clone();
    let unanswered = tokio::spawn(async move { starting.start(&asked).await });
    caller.await_status(&scan, "queued", SCAN_TIMEOUT).await;
    service.kill();
    unanswered.abort();

    service.restart().await.unwrap();
    // Nobody asks again: the start intent alone brings the scan on its way.
    let done = caller.await_status(&scan, "complete", AFTER_A_DEATH).await;
    assert_eq!(done["charge"]["refunded"], false);
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 2, "charged once");
    caller.start(&scan).await.expect(200);
    service.admin(&["verify-ledger"]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_mid_scan() {
    let options = ServiceOptions { failpoints: Some("ingest=pause".into()), ..ServiceOptions::default() };
    let mut service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(3)).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "processing", SCAN_TIMEOUT).await;
    let children = children_of(service.pid().unwrap());
    assert!(!children.is_empty(), "the engine is a child");
    service.kill();
    // The whole tree is gone, so the ports and the folder are free.
    harness::until("the children to die with their parent", Duration::from_secs(10), async || {
        children.iter().all(|pid| !is_alive(*pid)).then_some(())
    })
    .await;

    service.restart().await.unwrap();
    caller.await_status(&scan, "complete", AFTER_A_DEATH).await;
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

/// Alive, and not merely unreaped.
fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
        state.is_some_and(|s| s != "Z" && s != "X")
    })
}
