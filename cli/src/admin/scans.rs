//! Commands on scans.

use std::time::Duration;

use anyhow::Context;
use api::retries::{Retried, Retries, RetryRequest};
use domain::{ScanId, scan::StartOutcome};
use entities::{Db, scans};
use media::ObjectStore;
use serde_json::{Value, json};
use workflows::client::{Engine, EngineError};

use super::Output;
use crate::config::Config;

/// Creates a scan from the media of a failed one and starts it. Fails, after printing the new scan,
/// if its start was refused.
pub(super) async fn retry(config: &Config, db: &Db, id: &ScanId) -> anyhow::Result<Output> {
    let failed =
        scans::system::find(db, id).await?.with_context(|| format!("the scan {id} does not exist"))?;
    let store = ObjectStore::new(&config.storage)?;
    let engine = Engine::new(config.engine.clone(), format!("scan-admin@{}", std::process::id()));
    let retries = Retries {
        db,
        store: &store,
        engine: &engine,
        start_window: Duration::from_secs(config.scans.start_window_seconds),
    };
    // The cap of the key that created the failed scan applies.
    let key_id = failed.key_id.as_ref().map(|key| key.0.clone());
    let request = RetryRequest { key_id, idempotency: None, by_operator: true };
    let Retried { scan, start } = retries.retry(&failed, &request).await?;
    let (start, failure) = describe(start);
    Ok(Output { json: json!({ "scan_id": scan.id.0, "retry_of": id, "start": start }), failure })
}

/// Returns the outcome of the start, and whether the command failed.
fn describe(start: Option<Result<StartOutcome, EngineError>>) -> (Value, Option<&'static str>) {
    match start {
        None => (json!({ "outcome": "already_started" }), None),
        Some(Ok(outcome @ (StartOutcome::Started { .. } | StartOutcome::AlreadyStarted { .. }))) => {
            (json!(outcome), None)
        }
        Some(Ok(refusal)) => (json!(refusal), Some("the new scan was not started; it awaits its start")),
        Some(Err(error)) => {
            let error = json!({ "outcome": "engine_unavailable", "error": error.to_string() });
            (error, Some("the new scan was not started; repeat the command when the engine is available"))
        }
    }
}
