//! How much two workers shorten the observing stage of one long scan, each with a processor core of its own.

use std::{path::Path, process::Command};

use anyhow::{Context, ensure};
use chaos::stack::{Stack, worker_name};
use domain::Timestamp;
use harness::clips::Clip;
use serde_json::Value;

use super::clients::Clients;

/// Returns the time of the stage with two workers, relative to that with one.
pub(super) async fn time_ratio(stack: &mut Stack, clients: &Clients, video: &Path) -> anyhow::Result<f64> {
    let video = Clip::raw(std::fs::read(video).with_context(|| video.display().to_string())?);
    let names = [worker_name("vision", 1), worker_name("vision", 2)];
    for (core, name) in names.iter().enumerate() {
        pin(stack.process(name)?.pid(), core)?;
    }
    // Loads the models of both workers.
    clients.scan_video(&video).await?;
    let two = observing_seconds(&clients.scan_video(&video).await?)?;
    stack.process(&names[1])?.kill();
    let one = observing_seconds(&clients.scan_video(&video).await?)?;
    stack.process(&names[1])?.restart(&[])?;
    Ok(two / one)
}

/// Binds all threads of a process to one core.
fn pin(pid: u32, core: usize) -> anyhow::Result<()> {
    let arguments = ["--all-tasks", "--cpu-list", "--pid", &core.to_string(), &pid.to_string()];
    let output = Command::new("taskset").args(arguments).output().context("taskset")?;
    ensure!(output.status.success(), "taskset: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Returns the length of the observing stage, from the timeline of a scan.
fn observing_seconds(scan: &Value) -> anyhow::Result<f64> {
    let timeline = scan["timeline"].as_array().context("no timeline")?;
    let begin = |stage: &str| -> anyhow::Result<Timestamp> {
        let entry = timeline.iter().find(|entry| entry["stage"] == stage);
        let entry = entry.with_context(|| format!("no stage {stage} in {scan}"))?;
        Ok(serde_json::from_value(entry["at"].clone())?)
    };
    Ok(begin("fusing")?.since(begin("observing")?).as_secs_f64())
}
