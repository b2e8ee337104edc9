//! Records the histories that `tests/tests/replay.rs` replays: plays each way a scan can end on a real
//! service, and writes what the engine recorded to the folder that is named.
#![allow(clippy::print_stdout, reason = "it says what it wrote")]

use std::{path::PathBuf, time::Duration};

use anyhow::Context;
use domain::{AccountId, EventId, ExportId, ScanId};
use harness::{ApiClient, ConsoleClient, Receiver, Service, ServiceOptions, api_client::id, clips::Clip};
use hyper::StatusCode;
use reqwest::Method;
use temporalio_client::WorkflowFetchHistoryOptions;
use workflows::{
    ScanWorkflow,
    client::{Engine, Settings},
    delivery_workflow_id, erasure_workflow_id, export_workflow_id, scan_workflow_id,
};

const PATIENCE: Duration = Duration::from_secs(180);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("name the folder to write to")?;
    std::fs::create_dir_all(&folder)?;
    let receiver = Receiver::start().await?;
    let options =
        ServiceOptions::default().set("RETRIES__FIRST_WAIT_MS", 200).set("SCANS__KEEP_EXPORTS_HOURS", 0);
    let service = Service::start(options, Some(&receiver)).await?;
    let account = service.account()?;
    let (endpoint, _) = service.register_endpoint(&account, &receiver)?;
    let caller = service.client(&account);
    let recorder = Recorder { engine: engine(&service), folder };
    let clip = Clip::moving(3);

    let complete = caller.uploaded(&clip).await;
    caller.start(&complete).await.expect(202);
    caller.await_status(&complete, "complete", PATIENCE).await;
    recorder.scan("scan-complete", &complete).await?;
    let delivered = EventId::scan_completed(&scan_id(&complete)?);
    receiver.await_request(PATIENCE, |r| r.event_id == delivered.as_str()).await;
    recorder.delivery("delivery-delivered", &delivered, &endpoint).await?;

    receiver.answer_next([StatusCode::INTERNAL_SERVER_ERROR, StatusCode::FOUND]);
    let failed = broken(&caller, &clip).await;
    recorder.scan("scan-failed", &failed).await?;
    let retried = EventId::scan_failed(&scan_id(&failed)?);
    harness::until("three attempts", PATIENCE, async || {
        (receiver.received().iter().filter(|r| r.event_id == retried.as_str()).count() == 3).then_some(())
    })
    .await;
    recorder.delivery("delivery-retried", &retried, &endpoint).await?;

    let exported = export(&service).await?;
    recorder.record("export", export_workflow_id(&exported)).await?;
    let erased = end_account(&service).await?;
    recorder.record("erasure", erasure_workflow_id(&erased)).await?;

    let cancelled = caller.uploaded(&clip).await;
    caller.delete(&format!("/scans/{}", id(&cancelled))).await.expect(204);
    recorder.scan("scan-cancelled", &cancelled).await?;

    for (name, card) in [
        ("recharge-paid", "pm_card_visa"),
        ("recharge-declined", "pm_card_visa_chargeDeclined"),
        ("recharge-slow", "pm_sim_silent_then_success"),
    ] {
        let payer = harness::create_paying_account(&service, card).await?;
        let caller = service.client(&payer);
        let refused = caller.uploaded(&clip).await;
        caller.start(&refused).await.expect(402);
        caller.await_top_up(PATIENCE).await;
        recorder.record(name, format!("recharge:{}:test", payer.id)).await?;
    }
    drop(service);

    let options = ServiceOptions::default().set("SCANS__START_WINDOW_SECONDS", 2);
    let service = Service::start(options, None).await?;
    let caller = service.client(&service.account()?);
    let recorder = Recorder { engine: engine(&service), ..recorder };
    let late = caller.created(&clip).await;
    caller.await_status(&late, "cancelled", PATIENCE).await;
    recorder.scan("scan-out-of-time", &late).await?;
    drop(service);

    let options =
        ServiceOptions { failpoints: Some("secure_media=pause".into()), ..ServiceOptions::default() };
    let service = Service::start(options, None).await?;
    let caller = service.client(&service.account()?);
    let recorder = Recorder { engine: engine(&service), ..recorder };
    let stopped = caller.uploaded(&clip).await;
    caller.start(&stopped).await.expect(202);
    recorder.engine.cancel_as_operator(&scan_id(&stopped)?).await?;
    caller.await_status(&stopped, "failed", PATIENCE).await;
    recorder.scan("scan-cancelled-by-operator", &stopped).await?;
    recorder.write_control()
}

struct Recorder {
    engine: Engine,
    folder: PathBuf,
}

impl Recorder {
    async fn scan(&self, name: &str, scan: &serde_json::Value) -> anyhow::Result<()> {
        self.record(name, scan_workflow_id(&scan_id(scan)?)).await
    }

    async fn delivery(&self, name: &str, event: &EventId, endpoint: &str) -> anyhow::Result<()> {
        self.record(name, delivery_workflow_id(event, &endpoint.parse()?)).await
    }

    /// Waits for the workflow's end and writes its history.
    async fn record(&self, name: &str, workflow: String) -> anyhow::Result<()> {
        let handle = self.engine.client().await?.get_workflow_handle::<ScanWorkflow>(workflow);
        harness::until(name, PATIENCE, async || handle.describe(Default::default()).await.ok()).await;
        // However it ended: a failed scan's workflow fails.
        let _ = tokio::time::timeout(PATIENCE, handle.get_result(Default::default())).await?;
        let history = handle.fetch_history(WorkflowFetchHistoryOptions::default());
        let json: serde_json::Value = serde_json::from_slice(&history.to_json().await?)?;
        self.write(name, &json)
    }

    fn write(&self, name: &str, history: &serde_json::Value) -> anyhow::Result<()> {
        let path = self.folder.join(format!("{name}.json"));
        std::fs::write(path, serde_json::to_vec_pretty(history)?)?;
        println!("{name}");
        Ok(())
    }

    /// The complete scan with another activity in the place of one: what a changed workflow would find.
    fn write_control(&self) -> anyhow::Result<()> {
        let path = self.folder.join("scan-complete.json");
        let text = std::fs::read_to_string(path)?.replace("\"secure_media\"", "\"another_activity\"");
        self.write("control-must-fail", &serde_json::from_str(&text)?)
    }
}

fn engine(service: &Service) -> Engine {
    Engine::new(Settings { address: service.engine_url(), ..Settings::default() }, "recorder")
}

fn scan_id(scan: &serde_json::Value) -> anyhow::Result<ScanId> {
    Ok(id(scan).parse()?)
}

/// A scan of a file that is cut off.
async fn broken(caller: &ApiClient, clip: &Clip) -> serde_json::Value {
    let half = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
    let scan = caller.uploaded(&half).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "failed", PATIENCE).await
}

/// Someone who signs up and leaves again.
async fn end_account(service: &Service) -> anyhow::Result<AccountId> {
    let (email, password) = ("leaves@example.com", "four unrelated plain words");
    let mut console = ConsoleClient::new(service);
    console.sign_up(email, password).await.expect(202);
    console.log_in(email, password).await.expect(200);
    let farewell = serde_json::json!({ "password": password });
    let closed = console.call(Method::DELETE, "/auth/account", Some(farewell)).await.expect(202);
    Ok(closed.text("id").parse()?)
}

/// Someone who takes along what they have.
async fn export(service: &Service) -> anyhow::Result<ExportId> {
    let (email, password) = ("takes@example.com", "four unrelated plain words");
    let mut console = ConsoleClient::new(service);
    console.sign_up(email, password).await.expect(202);
    console.log_in(email, password).await.expect(200);
    let export = console.post("/auth/exports", serde_json::json!({})).await.expect(202);
    Ok(export.text("id").parse()?)
}
