//! A scan whose batches of frames are processed by two workers, each batch once.

use std::collections::BTreeMap;

use harness::{Service, ServiceOptions, api_client::id, clips::Clip};
use serde_json::Value;
use temporalio_client::WorkflowFetchHistoryOptions;
use workflows::{ScanWorkflow, scan_workflow_id};

use crate::SCAN_TIMEOUT;

/// Number of views in the video, of two seconds each. Each kept view is a batch.
const VIEWS: usize = 9;

#[tokio::test(flavor = "multi_thread")]
async fn batches_spread_over_workers_and_run_once() {
    // Each process runs one batch at a time, and the first one is slow, so the second one gets
    // some.
    let options =
        ServiceOptions { failpoints: Some("observe_frames=sleep(2000)".into()), ..ServiceOptions::default() }
            .set("WORKERS__VISION_SLOTS", 1)
            .set("SCANS__FRAMES_A_BATCH", 1);
    let service = Service::start(options, None).await.unwrap();
    // The batch size of this worker has no effect: ingesting decides the number of batches.
    let other = service.worker("vision", &[("SCANS__FRAMES_A_BATCH", "7")]).unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&views()).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;

    let space = scan["space_id"].as_str().unwrap();
    let space = caller.get(&format!("/spaces/{space}")).await.expect(200).body;
    let frames = space["document"]["frames"].as_array().unwrap().len();
    let by_worker = batches_by_worker(&service, id(&scan)).await;
    let count = |pid: u32| by_worker.get(&pid.to_string()).copied().unwrap_or_default();
    let (by_service, by_other) = (count(service.pid().unwrap()), count(other.pid()));
    assert_eq!(by_service + by_other, frames, "each batch once: {by_worker:?}");
    assert!(by_service > 0 && by_other > 0 && frames > 4, "{by_worker:?}");
}

/// Creates a video of different pictures.
fn views() -> Clip {
    let pictures = ["testsrc", "testsrc2", "mandelbrot"];
    let flips = ["null", "hflip", "vflip"];
    let all = pictures.iter().flat_map(|picture| flips.iter().map(move |flip| (picture, flip)));
    let parts: Vec<String> = all
        .enumerate()
        .map(|(n, (picture, flip))| format!("{picture}=size=640x360:rate=10,trim=duration=2,{flip}[v{n}]"))
        .collect();
    let names: String = (0..parts.len()).map(|n| format!("[v{n}]")).collect();
    assert_eq!(parts.len(), VIEWS);
    let graph = format!("{};{names}concat=n={VIEWS}", parts.join(";"));
    Clip::from_inputs(&["-f", "lavfi", "-i", &graph], &[])
}

/// Returns the number of completed batches by process id.
async fn batches_by_worker(service: &Service, scan: &str) -> BTreeMap<String, usize> {
    let engine = service.engine();
    let workflow = scan_workflow_id(&scan.parse().unwrap());
    let handle = engine.client().await.unwrap().get_workflow_handle::<ScanWorkflow>(workflow);
    let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
    let history: Value = serde_json::from_slice(&history.to_json().await.unwrap()).unwrap();
    let events = history["events"].as_array().unwrap();
    let of_kind = |kind: &'static str| events.iter().map(move |event| (event, &event["attributes"][kind]));
    let batches: Vec<&Value> = of_kind("ActivityTaskScheduledEventAttributes")
        .filter(|(_, scheduled)| scheduled["activity_type"]["name"] == "observe_frames")
        .map(|(event, _)| &event["event_id"])
        .collect();
    let ended: Vec<&Value> = of_kind("ActivityTaskCompletedEventAttributes")
        .map(|(_, completed)| &completed["scheduled_event_id"])
        .collect();
    let mut by_worker = BTreeMap::new();
    for (_, started) in of_kind("ActivityTaskStartedEventAttributes") {
        let batch = &started["scheduled_event_id"];
        if batches.contains(&batch) && ended.contains(&batch) {
            let (_, process) = started["identity"].as_str().unwrap().split_once('@').unwrap();
            *by_worker.entry(process.to_owned()).or_default() += 1;
        }
    }
    by_worker
}
