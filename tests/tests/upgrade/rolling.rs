//! A rolling upgrade with the real workflows: two releases of the workers at once.

use std::time::Duration;

use domain::{EventId, Timestamp};
use harness::{
    ApiClient, Receiver, Service, ServiceOptions, WorkerProcess, api_client::id, clips::Clip, until,
};
use hyper::StatusCode;
use serde_json::{Value, json};
use workflows::{delivery_workflow_id, scan_workflow_id};

use crate::{
    SCAN_TIMEOUT,
    deployment::{DEPLOYMENT, make_current},
    history::History,
};

const QUEUES: &str = "scans,media,vision,fusion,billing,webhooks";
/// Wait of a delivery after its first attempt: long enough for the switch to the next version.
const RETRY_WAIT: Duration = Duration::from_secs(60);

/// Starts the workers of a release.
fn release(service: &Service, build_id: &str) -> WorkerProcess {
    let version = [("WORKERS__DEPLOYMENT_NAME", DEPLOYMENT), ("WORKERS__BUILD_ID", build_id)];
    service.worker(QUEUES, &version).unwrap()
}

async fn switch_to(service: &Service, build_id: &str) {
    make_current(&service.engine_url(), build_id, &QUEUES.split(',').collect::<Vec<_>>()).await;
}

async fn history(service: &Service, scan: &Value) -> History {
    History::read(&service.engine_url(), &scan_workflow_id(&id(scan).parse().unwrap())).await
}

/// Waits for the first workflow task of a scan, which decides its version.
async fn await_first_task(service: &Service, scan: &Value) {
    until("the first workflow task", SCAN_TIMEOUT, async || {
        (!history(service, scan).await.workflow_workers().is_empty()).then_some(())
    })
    .await;
}

/// Creates a scan that takes five seconds longer in each stage.
async fn create_slow_scan(caller: &ApiClient, clip: &Clip) -> Value {
    let space = json!({ "name": "Slow", "space_type": "apartment", "external_id": "test:slow" });
    let space = caller.post("/spaces", space).await.expect(201).text("id");
    let scan = caller.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body;
    caller.upload(&scan, clip).await.expect(204);
    scan
}

async fn complete(caller: &ApiClient, scan: &Value) {
    caller.await_status(scan, "complete", SCAN_TIMEOUT).await;
}

fn assert_all(processes: &[String], process: u32, of: &str) {
    let expected = process.to_string();
    assert!(!processes.is_empty(), "{of}: no tasks");
    assert!(processes.iter().all(|found| *found == expected), "{of}: {processes:?}, expected {expected}");
}

#[tokio::test(flavor = "multi_thread")]
async fn scans_finish_on_their_version_and_deliveries_follow_the_upgrade() {
    let receiver = Receiver::start().await.unwrap();
    let options = ServiceOptions::default().set("RETRIES__FIRST_WAIT_MS", RETRY_WAIT.as_millis());
    let service = Service::start(options, Some(&receiver)).await.unwrap();
    let account = service.account().unwrap();
    let (endpoint, _) = service.register_endpoint(&account, &receiver).unwrap();
    let caller = service.client(&account);
    // An account may have three scans in progress, and has three free ones.
    let other = service.client(&service.account().unwrap());
    let clip = Clip::moving(2);

    // The service itself has unversioned workers, like a fleet before its first versioned release.
    let before = other.create_uploaded_scan(&clip).await;
    await_first_task(&service, &before).await;
    let v1 = release(&service, "v1");
    switch_to(&service, "v1").await;

    // Three scans begin on the first version: one waits for its start, one is processed during the
    // switch, and one has completed, but its event is not delivered yet.
    let waiting = caller.create_uploaded_scan(&clip).await;
    await_first_task(&service, &waiting).await;
    let v2 = release(&service, "v2");
    receiver.respond_next([StatusCode::INTERNAL_SERVER_ERROR]);
    let completed = caller.create_uploaded_scan(&clip).await;
    caller.start(&completed).await.expect(202);
    complete(&caller, &completed).await;
    let running = create_slow_scan(&caller, &clip).await;
    caller.start(&running).await.expect(202);
    caller.await_status(&running, "processing", SCAN_TIMEOUT).await;
    let event = EventId::scan_completed(&id(&completed).parse().unwrap());
    receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == event.as_str()).await;
    switch_to(&service, "v2").await;
    let switched = Timestamp::now();

    // A new scan begins on the new version. All complete, side by side.
    let new = other.create_uploaded_scan(&clip).await;
    caller.start(&waiting).await.expect(202);
    for scan in [&before, &new] {
        other.start(scan).await.expect(202);
    }
    for (owner, scan) in [(&caller, &waiting), (&caller, &running), (&other, &before), (&other, &new)] {
        complete(owner, scan).await;
    }
    for (name, scan, process) in [
        ("waiting", &waiting, v1.pid()),
        ("running", &running, v1.pid()),
        ("completed", &completed, v1.pid()),
        ("new", &new, v2.pid()),
    ] {
        let history = history(&service, scan).await;
        assert_all(&history.workflow_workers(), process, name);
        assert_all(&history.activity_workers(), process, name);
    }
    // The unversioned scan moved to a version with its first task after the switch.
    let moved = history(&service, &before).await.workflow_workers();
    assert_eq!(moved.first(), Some(&service.pid().unwrap().to_string()), "{moved:?}");
    assert_ne!(moved.last(), moved.first(), "{moved:?}");

    let delivered =
        receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == event.as_str() && r.at > switched).await;
    assert_eq!(delivered.event_id, event.as_str());
    let delivery = delivery_workflow_id(&event, &endpoint.parse().unwrap());
    let tasks = until("the end of the delivery", SCAN_TIMEOUT, async || {
        let history = History::read(&service.engine_url(), &delivery).await;
        history.has("WorkflowExecutionCompletedEventAttributes").then(|| history.workflow_workers())
    })
    .await;
    assert_eq!(tasks.first(), Some(&v1.pid().to_string()), "{tasks:?}");
    assert_eq!(tasks.last(), Some(&v2.pid().to_string()), "{tasks:?}");

    // Roll-back: new scans begin on the old version again.
    switch_to(&service, "v1").await;
    let back = other.create_uploaded_scan(&clip).await;
    await_first_task(&service, &back).await;
    assert_all(&history(&service, &back).await.workflow_workers(), v1.pid(), "after the roll-back");
}
