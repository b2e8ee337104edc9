//! Workflows must be able to replay the histories of scans that are under way when they change. The
//! histories in `tests/histories` were recorded by the program `record_histories` (docs/testing.md); one of them is
//! a control that must fail.

use std::path::PathBuf;

use temporalio_client::WorkflowHistory;
use temporalio_sdk::workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions};
use workflows::{ErasureWorkflow, ExportWorkflow, RechargeWorkflow, ScanWorkflow, WebhookDeliveryWorkflow};

/// A history whose timer was replaced by another command.
const CONTROL: &str = "control-must-fail";

fn replayer() -> WorkflowReplayer {
    let options = WorkflowReplayerOptions::new()
        .register_workflow::<ScanWorkflow>()
        .and_then(|o| o.register_workflow::<WebhookDeliveryWorkflow>())
        .and_then(|o| o.register_workflow::<RechargeWorkflow>())
        .and_then(|o| o.register_workflow::<ErasureWorkflow>())
        .and_then(|o| o.register_workflow::<ExportWorkflow>())
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
async fn committed_histories_replay_and_the_control_does_not() {
    let all = histories();
    let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
    for needed in [
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
        CONTROL,
    ] {
        assert!(names.contains(&needed), "no history {needed}; there are {names:?}");
    }
    for (name, path) in &all {
        let history = WorkflowHistory::from_json(&std::fs::read(path).unwrap()).unwrap();
        let replayed = replayer().replay_workflow(history).await;
        assert_eq!(replayed.is_ok(), name != CONTROL, "{name}: {:?}", replayed.err());
    }
}
