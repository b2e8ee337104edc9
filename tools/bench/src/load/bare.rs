//! The baseline: workflows that do nothing, with as many activities as a scan, each with a second workflow
//! with one activity, as a delivery.
#![allow(missing_docs, unreachable_pub, reason = "the macros generate undocumented constants and markers")]

use std::time::{Duration, Instant};

use anyhow::anyhow;
use chaos::stack::{NAMESPACE, Stack};
use futures::stream::{StreamExt, TryStreamExt};
use temporalio_client::{Client, WorkflowGetResultOptions, WorkflowStartOptions};
use temporalio_macros::{activities, workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, Runtime, Worker, WorkerOptions, WorkflowContext, WorkflowContextView, WorkflowResult,
    activities::{ActivityContext, ActivityError},
};
use workflows::client::{Engine, Settings};

const QUEUE: &str = "bench-bare";

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

/// Runs activities, one after the other.
#[workflow]
pub struct Bare {
    activities: u32,
}

#[workflow_methods]
impl Bare {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, activities: u32) -> Self {
        Self { activities }
    }

    #[run(name = "Bare")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<u32> {
        let activities = ctx.state(|state| state.activities);
        for _ in 0..activities {
            let options = ActivityOptions::with_start_to_close_timeout(Duration::from_secs(60)).build();
            ctx.execute_activity(Nothing::idle, 1_u32, options).await?;
        }
        Ok(activities)
    }
}

/// Returns how many bare workflows run in a second.
pub(super) async fn per_second(
    stack: &Stack,
    activities: usize,
    count: usize,
    concurrency: usize,
) -> anyhow::Result<f64> {
    let activities = u32::try_from(activities)?;
    let settings = Settings {
        address: format!("http://{}", stack.engine_address()),
        namespace: NAMESPACE.to_owned(),
        answer_within_ms: 60_000,
        ..Settings::default()
    };
    let client = Engine::new(settings, "bench").client().await?.clone();
    let (handle, worker_client) = (tokio::runtime::Handle::current(), client.clone());
    let (started, shut_down) = std::sync::mpsc::channel();
    let thread = std::thread::Builder::new().name("bench-worker".into()).spawn(move || {
        handle.block_on(async {
            let runtime = Runtime::from_current_tokio(Default::default()).map_err(|e| anyhow!("{e}"))?;
            let options = WorkerOptions::new(QUEUE)
                .register_workflow::<Bare>()
                .map_err(|e| anyhow!("{e}"))?
                .register_activities(Nothing)
                // The stages of a scan run on other queues than its workflow, so the server dispatches each.
                .max_eager_activity_reservations_per_workflow_task(0)
                .build();
            let mut worker = Worker::new(&runtime, worker_client, options).map_err(|e| anyhow!("{e}"))?;
            started.send(worker.shutdown_handle()).map_err(|_| anyhow!("the benchmark has ended"))?;
            worker.run().await.map_err(|e| anyhow!("{e}"))
        })
    })?;
    let shut_down = tokio::task::spawn_blocking(move || shut_down.recv()).await??;

    // The first ones wait until the worker polls.
    run_many(&client, activities, concurrency, concurrency).await?;
    let began = Instant::now();
    run_many(&client, activities, count, concurrency).await?;
    let seconds = began.elapsed().as_secs_f64();
    shut_down();
    tokio::task::spawn_blocking(|| thread.join()).await?.map_err(|_| anyhow!("the worker panicked"))??;
    Ok(count as f64 / seconds)
}

async fn run_many(client: &Client, activities: u32, count: usize, concurrency: usize) -> anyhow::Result<()> {
    let runs = (0..count).map(|_| async move {
        run_one(client, activities).await?;
        run_one(client, 1).await
    });
    futures::stream::iter(runs).buffer_unordered(concurrency).try_collect::<Vec<()>>().await?;
    Ok(())
}

async fn run_one(client: &Client, activities: u32) -> anyhow::Result<()> {
    let options = WorkflowStartOptions::new(QUEUE, domain::RequestId::new().to_string()).build();
    let handle = client.start_workflow(Bare::run, activities, options).await?;
    handle.get_result(WorkflowGetResultOptions::default()).await?;
    Ok(())
}
