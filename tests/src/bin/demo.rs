//! The demo: runs the whole product once on real parts. `cargo xtask demo` prepares and starts it.
#![allow(clippy::print_stdout, reason = "the demo prints its results")]

use std::{net::TcpListener, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context;
use clap::Parser;
use cli::client::{Connection, run};
use harness::{Receiver, Service, ServiceOptions};
use serde_json::{Value, json};

/// Maximum time from the completed scan to its webhook.
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Parser)]
struct Arguments {
    /// A video, photos, or a folder of photos.
    #[arg(required = true)]
    media: Vec<PathBuf>,
    /// Ground truth of the media, to compare with the result.
    #[arg(long)]
    truth: Option<PathBuf>,
    /// Folder for the state of the service.
    #[arg(long)]
    data: PathBuf,
    /// Folder for the document and its frames.
    #[arg(long)]
    out: PathBuf,
    /// Keep the service running until it is interrupted.
    #[arg(long)]
    keep: bool,
    /// Print a JSON line at the end.
    #[arg(long)]
    json: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    match demo(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn demo(arguments: Arguments) -> anyhow::Result<()> {
    let began = std::time::Instant::now();
    let receiver = Receiver::start().await?;
    println!("starting the API, workers, Temporal, storage and database");
    let options = ServiceOptions {
        folder: Some(arguments.data),
        default_ports: default_ports_are_free(),
        ..ServiceOptions::default()
    };
    let mut service = Service::start(options, Some(&receiver)).await?;
    let account = service.account()?;
    let secret = service.register(&account, &receiver)?;
    let finished = run::run(
        run::RunArgs {
            connection: Connection {
                api: Some(service.api_url()),
                key: Some(account.key.clone()),
                profile: None,
            },
            media: arguments.media,
            space: None,
            name: Some("The demo's walk".to_owned()),
            space_type: "house".to_owned(),
            external_id: None,
            language: "en".to_owned(),
            transcript: None,
            out: arguments.out,
        },
        false,
    )
    .await?;
    let (scan, document) = (&finished.scan, &finished.document);
    let event_id = format!("evt_{}_completed", scan.id);
    let webhook = receiver.await_request(WEBHOOK_TIMEOUT, |r| r.event_id == event_id).await;
    let verified = webhook.is_signed_with(&secret);
    println!("webhook   {event_id}: signature {}", if verified { "verified" } else { "WRONG" });
    println!("API       {} (key {})", service.api_url(), account.key);
    if let Some(frame) = document.frames.first().and_then(|f| f.url.as_ref()) {
        println!("evidence  {frame}");
    }
    let workflow_url = service.workflow_url(scan.id.as_str());
    println!("engine    {workflow_url}");
    let score = arguments
        .truth
        .as_ref()
        .map(|truth| eval::score::compare_files(&finished.saved.document, truth))
        .transpose()?;
    if let Some(score) = &score {
        println!("score against the ground truth: {}", serde_json::to_string(score)?);
    }
    if arguments.keep {
        let shares = format!("/spaces/{}/shares", scan.space_id);
        let share = service.client(&account).post(&shares, json!({})).await.expect(201);
        println!("look at   {}", share.text("url"));
        println!("running; interrupt to stop");
        tokio::signal::ctrl_c().await?;
    }
    let stopped = service.stop().await;
    anyhow::ensure!(stopped.success(), "the service ended with {stopped}");
    if arguments.json {
        let score = serde_json::to_value(&score)?;
        println!("{}", summary(&finished, verified, &workflow_url, began.elapsed(), &score)?);
    }
    anyhow::ensure!(verified, "the webhook's signature did not verify");
    Ok(())
}

/// Builds the JSON line that `--json` prints.
fn summary(
    finished: &run::Finished,
    verified: bool,
    workflow_url: &str,
    elapsed: Duration,
    score: &Value,
) -> anyhow::Result<Value> {
    let (scan, document) = (&finished.scan, &finished.document);
    Ok(json!({
        "status": scan.status,
        "scan_id": scan.id,
        "document_path": finished.saved.document.canonicalize()?,
        "frames": document.frames.len(),
        "zones": document.zones.len(),
        "texts": document.texts.len(),
        "narration": document.narration.len(),
        "webhook_verified": verified,
        "charge": scan.charge.context("a complete scan was charged")?,
        "workflow_url": workflow_url,
        "seconds": elapsed.as_secs_f64(),
        "media_seconds": document.media.iter().filter_map(|m| m.duration_ms).sum::<u64>() as f64 / 1000.0,
        "truth": score,
    }))
}

/// Returns whether the default ports are free. Other free ports are used otherwise.
fn default_ports_are_free() -> bool {
    [8080, 8081, 7233, 8233, 9000].into_iter().all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok())
}
