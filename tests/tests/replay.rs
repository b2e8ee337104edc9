//! Replays workflow histories: a changed workflow must be able to replay the histories of running
//! scans. The program `record_histories` recorded the histories in `tests/histories`
//! (docs/testing.md). One of them is a control whose replay must fail.

use std::path::PathBuf;

use temporalio_client::WorkflowHistory;
use temporalio_sdk::workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions};
use workflows::{
    ErasureWorkflow, ExportWorkflow, RechargeWorkflow, ScanWorkflow, UpkeepWorkflow, WebhookDeliveryWorkflow,
};

/// A history with one activity renamed, so its replay must fail.
const CONTROL: &str = "control-must-fail";

fn replayer() -> WorkflowReplayer {
    let options = WorkflowReplayerOptions::new()
        .register_workflow::<ScanWorkflow>()
        .and_then(|o| o.register_workflow::<WebhookDeliveryWorkflow>())
        .and_then(|o| o.register_workflow::<RechargeWorkflow>())
        .and_then(|o| o.register_workflow::<ErasureWorkflow>())
        .and_then(|o| o.register_workflow::<ExportWorkflow>())
        .and_then(|o| o.register_workflow::<UpkeepWorkflow>())
        .unwrap()
        .build();
    WorkflowReplayer::new(options).unwrap()
}

fn histories() -> Vec<(String, PathBuf)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("histories");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn recorded_histories_replay_and_the_control_fails() {
    let all = histories();
    let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
    for required in [
        "scan-complete",
        "scan-failed",
        "scan-cancelled",
        "scan-out-of-time",
        "scan-cancelled-by-operator",
        "delivery-delivered",
        "delivery-retried",
        "recharge-paid",
        "recharge-declined",
        "recharge-slow",
        "erasure",
        "export",
        "upkeep",
        CONTROL,
    ] {
        assert!(names.contains(&required), "no history {required}; there are {names:?}");
    }
    for (name, path) in &all {
        let history = WorkflowHistory::from_json(&std::fs::read(path).unwrap()).unwrap();
        let replayed = replayer().replay_workflow(history).await;
        assert_eq!(replayed.is_ok(), name != CONTROL, "{name}: {:?}", replayed.err());
    }
}
