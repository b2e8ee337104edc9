//! Records the workflow histories that `tests/tests/replay.rs` replays. Produces the outcomes of
//! all workflows on a real service and writes the histories to the given folder.
#![allow(clippy::print_stdout, reason = "the tool prints what it wrote")]

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use domain::{AccountId, EventId, ExportId, ScanId, Timestamp};
use harness::{ApiClient, ConsoleClient, Receiver, Service, ServiceOptions, api_client::id, clips::Clip};
use hyper::StatusCode;
use reqwest::Method;
use temporalio_client::WorkflowFetchHistoryOptions;
use workflows::{
    ScanWorkflow, client::Engine, delivery_workflow_id, erasure_workflow_id, export_workflow_id,
    scan_workflow_id,
};

/// Maximum time of each scan and workflow.
const SCAN_TIMEOUT: Duration = Duration::from_secs(180);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("name the folder to write to")?;
    std::fs::create_dir_all(&folder)?;
    let clip = Clip::moving(3);
    record_regular_outcomes(&folder, &clip).await?;
    record_expired_scan(&folder, &clip).await?;
    record_scan_cancelled_by_operator(&folder, &clip).await?;
    write_control(&folder)
}

/// Records scans, deliveries, payments, an export and an erasure.
async fn record_regular_outcomes(folder: &Path, clip: &Clip) -> anyhow::Result<()> {
    let receiver = Receiver::start().await?;
    let options =
        ServiceOptions::default().set("RETRIES__FIRST_WAIT_MS", 200).set("SCANS__KEEP_EXPORTS_HOURS", 0);
    let service = Service::start(options, Some(&receiver)).await?;
    let recorder = Recorder { engine: service.engine(), folder };
    record_deliveries(&recorder, &service, &receiver, clip).await?;

    recorder.finished_round().await?;

    let exported = export(&service).await?;
    recorder.record("export", export_workflow_id(&exported)).await?;
    let erased = close_account(&service).await?;
    recorder.record("erasure", erasure_workflow_id(&erased)).await?;

    let caller = service.client(&service.account()?);
    let cancelled = caller.create_uploaded_scan(clip).await;
    caller.delete(&format!("/scans/{}", id(&cancelled))).await.expect(204);
    recorder.scan("scan-cancelled", &cancelled).await?;

    for (name, card) in [
        ("recharge-paid", "pm_card_visa"),
        ("recharge-declined", "pm_card_visa_chargeDeclined"),
        ("recharge-slow", "pm_sim_silent_then_success"),
    ] {
        let payer = harness::create_paying_account(&service, card).await?;
        let caller = service.client(&payer);
        let refused = caller.create_uploaded_scan(clip).await;
        caller.start(&refused).await.expect(402);
        caller.await_top_up(SCAN_TIMEOUT).await;
        recorder.record(name, format!("recharge:{}:test", payer.id)).await?;
    }
    Ok(())
}

/// Records a complete and a failed scan, and the deliveries of their events.
async fn record_deliveries(
    recorder: &Recorder<'_>,
    service: &Service,
    receiver: &Receiver,
    clip: &Clip,
) -> anyhow::Result<()> {
    let account = service.account()?;
    let (endpoint, _) = service.register_endpoint(&account, receiver)?;
    let caller = service.client(&account);

    let complete = caller.create_uploaded_scan(clip).await;
    caller.start(&complete).await.expect(202);
    caller.await_status(&complete, "complete", SCAN_TIMEOUT).await;
    recorder.scan("scan-complete", &complete).await?;
    let delivered = EventId::scan_completed(&scan_id(&complete)?);
    receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == delivered.as_str()).await;
    recorder.delivery("delivery-delivered", &delivered, &endpoint).await?;

    receiver.respond_next([StatusCode::INTERNAL_SERVER_ERROR, StatusCode::FOUND]);
    let failed = fail_scan(&caller, clip).await;
    recorder.scan("scan-failed", &failed).await?;
    let retried = EventId::scan_failed(&scan_id(&failed)?);
    harness::until("three attempts", SCAN_TIMEOUT, async || {
        (receiver.received().iter().filter(|r| r.event_id == retried.as_str()).count() == 3).then_some(())
    })
    .await;
    recorder.delivery("delivery-retried", &retried, &endpoint).await
}

/// Records a scan that isn't started in time.
async fn record_expired_scan(folder: &Path, clip: &Clip) -> anyhow::Result<()> {
    let options = ServiceOptions::default().set("SCANS__START_WINDOW_SECONDS", 2);
    let service = Service::start(options, None).await?;
    let caller = service.client(&service.account()?);
    let expired = caller.create_scan(clip).await;
    caller.await_status(&expired, "cancelled", SCAN_TIMEOUT).await;
    Recorder { engine: service.engine(), folder }.scan("scan-out-of-time", &expired).await
}

/// Records a scan whose workflow an operator cancels.
async fn record_scan_cancelled_by_operator(folder: &Path, clip: &Clip) -> anyhow::Result<()> {
    let options =
        ServiceOptions { failpoints: Some("secure_media=pause".into()), ..ServiceOptions::default() };
    let service = Service::start(options, None).await?;
    let caller = service.client(&service.account()?);
    let recorder = Recorder { engine: service.engine(), folder };
    let stopped = caller.create_uploaded_scan(clip).await;
    caller.start(&stopped).await.expect(202);
    recorder.engine.cancel_as_operator(&scan_id(&stopped)?).await?;
    caller.await_status(&stopped, "failed", SCAN_TIMEOUT).await;
    recorder.scan("scan-cancelled-by-operator", &stopped).await
}

/// Writes histories of the engine to a folder.
struct Recorder<'a> {
    engine: Engine,
    folder: &'a Path,
}

impl Recorder<'_> {
    async fn scan(&self, name: &str, scan: &serde_json::Value) -> anyhow::Result<()> {
        self.record(name, scan_workflow_id(&scan_id(scan)?)).await
    }

    async fn delivery(&self, name: &str, event: &EventId, endpoint: &str) -> anyhow::Result<()> {
        self.record(name, delivery_workflow_id(event, &endpoint.parse()?)).await
    }

    /// Records one round of a periodic task.
    async fn finished_round(&self) -> anyhow::Result<()> {
        let first = async || {
            let finished = self.engine.list_finished_rounds(Timestamp::now()).await.ok()?;
            finished.workflows.first().cloned()
        };
        let round = harness::until("a round of a periodic task", SCAN_TIMEOUT, first).await;
        self.record("upkeep", round.id).await
    }

    /// Waits until the workflow ends and writes its history.
    async fn record(&self, name: &str, workflow: String) -> anyhow::Result<()> {
        let handle = self.engine.client().await?.get_workflow_handle::<ScanWorkflow>(workflow);
        harness::until(name, SCAN_TIMEOUT, async || handle.describe(Default::default()).await.ok()).await;
        // Ignores the result: the workflow of a failed scan fails.
        let _ = tokio::time::timeout(SCAN_TIMEOUT, handle.get_result(Default::default())).await?;
        let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
        let json: serde_json::Value = serde_json::from_slice(&history.to_json().await?)?;
        write(self.folder, name, &json)
    }
}

fn write(folder: &Path, name: &str, history: &serde_json::Value) -> anyhow::Result<()> {
    std::fs::write(folder.join(format!("{name}.json")), serde_json::to_vec_pretty(history)?)?;
    println!("{name}");
    Ok(())
}

/// Writes the history of a complete scan with one activity renamed. Replaying it must fail.
fn write_control(folder: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(folder.join("scan-complete.json"))?
        .replace("\"secure_media\"", "\"another_activity\"");
    write(folder, "control-must-fail", &serde_json::from_str(&text)?)
}

fn scan_id(scan: &serde_json::Value) -> anyhow::Result<ScanId> {
    Ok(id(scan).parse()?)
}

/// Runs a scan of a truncated file.
async fn fail_scan(caller: &ApiClient, clip: &Clip) -> serde_json::Value {
    let half = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
    let scan = caller.create_uploaded_scan(&half).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "failed", SCAN_TIMEOUT).await
}

/// Signs up and closes the account.
async fn close_account(service: &Service) -> anyhow::Result<AccountId> {
    let (email, password) = ("leaves@example.com", "four unrelated plain words");
    let mut console = ConsoleClient::new(service);
    console.sign_up(email, password).await.expect(202);
    console.log_in(email, password).await.expect(200);
    let confirmation = serde_json::json!({ "password": password });
    let closed = console.call(Method::DELETE, "/auth/account", Some(confirmation)).await.expect(202);
    Ok(closed.text("id").parse()?)
}

/// Signs up and requests an export.
async fn export(service: &Service) -> anyhow::Result<ExportId> {
    let (email, password) = ("takes@example.com", "four unrelated plain words");
    let mut console = ConsoleClient::new(service);
    console.sign_up(email, password).await.expect(202);
    console.log_in(email, password).await.expect(200);
    let export = console.post("/auth/exports", serde_json::json!({})).await.expect(202);
    Ok(export.text("id").parse()?)
}
