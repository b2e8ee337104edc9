//! No workflow is stuck: those that still run belong to a scan that awaits its upload, or to the engine.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};
use cli::serve::temporal::find_command;
use entities::Db;
use serde_json::Value;

use super::lines;
use crate::stack::{NAMESPACE, Stack};

/// Prefixes of workflows that always or periodically run: schedules, and their rounds.
const PERIODIC: [&str; 2] = ["temporal-sys-", "upkeep:"];

/// Returns the ids of workflows that still have something to do.
pub(super) async fn open(stack: &Stack, db: &Db) -> anyhow::Result<Vec<String>> {
    let waiting = lines(db, "SELECT id AS line FROM scans WHERE status = 'awaiting_upload'").await?;
    let waiting: BTreeSet<String> = waiting.into_iter().map(|scan| format!("scan:{scan}")).collect();
    let mut open = running(stack).await?;
    open.retain(|id| !waiting.contains(id) && !PERIODIC.iter().any(|prefix| id.starts_with(prefix)));
    Ok(open)
}

/// Returns the ids of all running workflows.
async fn running(stack: &Stack) -> anyhow::Result<Vec<String>> {
    let mut list = tokio::process::Command::new(find_command()?);
    list.args(["workflow", "list", "--query", "ExecutionStatus = 'Running'", "--output", "json"]);
    list.args(["--limit", "0", "--namespace", NAMESPACE, "--address", &stack.engine_address()]);
    let output = list.output().await?;
    ensure!(output.status.success(), "temporal: {}", String::from_utf8_lossy(&output.stderr));
    let workflows: Vec<Value> = serde_json::from_slice(&output.stdout).context("the list of workflows")?;
    let id = |workflow: &Value| workflow["execution"]["workflowId"].as_str().map(str::to_owned);
    workflows.iter().map(|workflow| id(workflow).context("a workflow without an id")).collect()
}
