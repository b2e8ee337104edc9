//! `bench worker-memory`: measures how much memory a worker keeps of each activity. The SDK keeps
//! the task token of every activity until its worker is dropped (ADR 16).
#![allow(missing_docs, unreachable_pub, reason = "the macros generate undocumented constants and markers")]

use std::{thread::JoinHandle, time::Duration};

use anyhow::{Context, anyhow};
use clap::Args;
use futures::stream::{StreamExt, TryStreamExt};
use harness::{Service, ServiceOptions};
use serde::{Deserialize, Serialize};
use serde_json::json;
use temporalio_client::{Client, WorkflowGetResultOptions, WorkflowStartOptions};
use temporalio_macros::{activities, workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, LocalActivityOptions, Runtime, Worker, WorkerOptions, WorkflowContext,
    WorkflowContextView, WorkflowResult,
    activities::{ActivityContext, ActivityError},
};
use workflows::client::{Engine, Settings};

const QUEUE: &str = "bench-memory";
/// Number of activities of each workflow: few, so that histories are short.
const PER_WORKFLOW: u32 = 50;
/// Number of workflows that run at a time.
const CONCURRENCY: usize = 16;
/// Number of measurements of each kind.
const WINDOWS: u32 = 5;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of activities of each kind.
    #[arg(long, default_value_t = 10_000)]
    activities: u32,
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

/// Kind of an activity.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Kind {
    Ordinary,
    Local,
}

/// Activities of the worker.
pub struct Nothing;

#[activities]
impl Nothing {
    /// Does nothing.
    #[activity]
    pub async fn idle(_ctx: ActivityContext, _input: u32) -> Result<u32, ActivityError> {
        Ok(1)
    }
}

/// Runs [`PER_WORKFLOW`] activities of one kind, one after the other.
#[workflow]
pub struct Sequence {
    kind: Kind,
}

#[workflow_methods]
impl Sequence {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, kind: Kind) -> Self {
        Self { kind }
    }

    #[run(name = "Sequence")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<u32> {
        let timeout = Duration::from_secs(30);
        for _ in 0..PER_WORKFLOW {
            let done = match ctx.state(|state| state.kind) {
                Kind::Ordinary => {
                    let options = ActivityOptions::with_start_to_close_timeout(timeout).build();
                    ctx.execute_activity(Nothing::idle, 1_u32, options).await
                }
                Kind::Local => {
                    let options = LocalActivityOptions::builder().start_to_close_timeout(timeout).build();
                    ctx.execute_local_activity(Nothing::idle, 1_u32, options).await
                }
            };
            done?;
        }
        Ok(PER_WORKFLOW)
    }
}

/// A worker in a thread of its own.
struct RunningWorker {
    shut_down: Box<dyn Fn() + Send>,
    thread: JoinHandle<anyhow::Result<()>>,
}

impl RunningWorker {
    fn start(client: &Client) -> anyhow::Result<Self> {
        let (handle, client) = (tokio::runtime::Handle::current(), client.clone());
        let (started, shut_down) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("bench-worker".into()).spawn(move || {
            handle.block_on(async {
                let runtime = Runtime::from_current_tokio(Default::default()).map_err(|e| anyhow!("{e}"))?;
                let options = WorkerOptions::new(QUEUE)
                    // The cache would grow, too.
                    .max_cached_workflows(CONCURRENCY)
                    .register_workflow::<Sequence>()
                    .map_err(|e| anyhow!("{e}"))?
                    .register_activities(Nothing)
                    .build();
                let mut worker = Worker::new(&runtime, client, options).map_err(|e| anyhow!("{e}"))?;
                started.send(worker.shutdown_handle()).map_err(|_| anyhow!("the benchmark has ended"))?;
                worker.run().await.map_err(|e| anyhow!("{e}"))
            })
        })?;
        Ok(Self { shut_down: Box::new(shut_down.recv().context("the worker did not start")?), thread })
    }

    /// Stops the worker and drops it.
    async fn stop(self) -> anyhow::Result<()> {
        (self.shut_down)();
        tokio::task::spawn_blocking(|| self.thread.join())
            .await?
            .map_err(|_| anyhow!("the worker panicked"))?
    }
}

/// Memory of this process while a worker runs activities of one kind.
#[derive(Serialize)]
struct Growth {
    bytes_per_activity: f64,
    activities: u32,
    resident_mb: Vec<f64>,
    resident_mb_after_another_worker: f64,
}

#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut service = Service::start(ServiceOptions::default().set("LOG__FILTER", "warn"), None).await?;
    let settings = Settings { address: service.engine_url(), ..Settings::default() };
    let client = Engine::new(settings, "bench").client().await?.clone();
    let ordinary = measure(&client, Kind::Ordinary, arguments.activities).await?;
    let local = measure(&client, Kind::Local, arguments.activities).await?;
    service.stop().await;
    let line = json!({ "ordinary": ordinary, "local": local });
    crate::print_results(&line, arguments.json)
}

/// Measures the growth over some windows, and the memory after the same work of a second worker.
async fn measure(client: &Client, kind: Kind, activities: u32) -> anyhow::Result<Growth> {
    let window = activities / WINDOWS;
    let worker = RunningWorker::start(client)?;
    // Fills caches and pools.
    run_activities(client, kind, window).await?;
    let mut resident = vec![resident_bytes()?];
    for _ in 0..WINDOWS {
        run_activities(client, kind, window).await?;
        resident.push(resident_bytes()?);
    }
    worker.stop().await?;
    let worker = RunningWorker::start(client)?;
    run_activities(client, kind, activities + window).await?;
    let after_another = resident_bytes()?;
    worker.stop().await?;
    let megabytes = |bytes: f64| (bytes / 1e5).round() / 10.0;
    Ok(Growth {
        bytes_per_activity: (slope(&resident) / f64::from(window)).round(),
        activities: window * WINDOWS,
        resident_mb: resident.iter().copied().map(megabytes).collect(),
        resident_mb_after_another_worker: megabytes(after_another),
    })
}

async fn run_activities(client: &Client, kind: Kind, count: u32) -> anyhow::Result<()> {
    let runs = (0..count / PER_WORKFLOW).map(|_| async move {
        let options = WorkflowStartOptions::new(QUEUE, domain::RequestId::new().to_string()).build();
        let handle = client.start_workflow(Sequence::run, kind, options).await?;
        handle.get_result(WorkflowGetResultOptions::default()).await?;
        anyhow::Ok(())
    });
    futures::stream::iter(runs).buffer_unordered(CONCURRENCY).try_collect::<Vec<()>>().await?;
    Ok(())
}

/// Returns the resident memory of this process.
fn resident_bytes() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib * 1024.0)
}

/// Returns the slope of the line that fits equidistant values best (least squares).
fn slope(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let middle = (values.len() - 1) as f64 / 2.0;
    let at = |index: usize| index as f64 - middle;
    let covariance: f64 = values.iter().enumerate().map(|(index, value)| at(index) * (value - mean)).sum();
    covariance / (0..values.len()).map(|index| at(index) * at(index)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn slope_ignores_the_offset() {
        assert!((slope(&[7.0, 9.0, 11.0, 13.0]) - 2.0).abs() < 1e-9);
        assert!(slope(&[5.0, 5.0, 5.0]).abs() < 1e-9);
    }
}
