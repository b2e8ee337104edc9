//! The baseline of the engine: it starts an empty workflow and sends one update, which runs an
//! empty local activity. A worker in this process serves both.
#![allow(missing_docs, unreachable_pub, reason = "the macros generate undocumented constants and markers")]

use std::time::{Duration, Instant};

use anyhow::anyhow;
use temporalio_client::{Client, WorkflowExecuteUpdateOptions, WorkflowStartOptions};
use temporalio_macros::{activities, workflow, workflow_methods};
use temporalio_sdk::{
    LocalActivityOptions, Runtime, Worker, WorkerOptions, WorkflowContext, WorkflowContextView,
    WorkflowResult,
    activities::{ActivityContext, ActivityError},
};

const QUEUE: &str = "bench";

type UpdateError = Box<dyn std::error::Error + Send + Sync>;

/// Activities of the worker.
pub struct Nothing;

#[activities]
impl Nothing {
    /// Does nothing.
    #[activity]
    pub async fn nothing(_ctx: ActivityContext, _input: u32) -> Result<u32, ActivityError> {
        Ok(1)
    }
}

/// Waits for one update.
#[workflow]
pub struct Bare {
    done: bool,
}

#[workflow_methods]
impl Bare {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, _input: u32) -> Self {
        Self { done: false }
    }

    #[update(name = "step")]
    pub async fn step(ctx: &mut WorkflowContext<Self>, input: u32) -> Result<u32, UpdateError> {
        let options = LocalActivityOptions::builder().start_to_close_timeout(Duration::from_secs(10)).build();
        let output = ctx.execute_local_activity(Nothing::nothing, input, options).await?;
        ctx.state_mut(|state| state.done = true);
        Ok(output)
    }

    #[run(name = "Bare")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<u32> {
        ctx.wait_condition(|state: &Self| state.done).await?;
        Ok(1)
    }
}

/// Latency of both requests.
pub(super) struct Latency {
    pub(super) start: Duration,
    pub(super) update: Duration,
}

/// Starts a workflow and sends it an update.
pub(super) async fn once(client: &Client, name: String) -> anyhow::Result<Latency> {
    let options = WorkflowStartOptions::new(QUEUE, name).build();
    let began = Instant::now();
    let handle = client.start_workflow(Bare::run, 1, options).await?;
    let start = began.elapsed();
    let began = Instant::now();
    handle.execute_update(Bare::step, 1, WorkflowExecuteUpdateOptions::builder().build()).await?;
    Ok(Latency { start, update: began.elapsed() })
}

/// Runs the worker on a separate thread, until the process exits.
pub(super) fn serve(client: Client) -> anyhow::Result<()> {
    let handle = tokio::runtime::Handle::current();
    std::thread::Builder::new().name("bench-worker".into()).spawn(move || {
        let served = handle.block_on(async {
            let runtime = Runtime::from_current_tokio(Default::default()).map_err(|e| anyhow!("{e}"))?;
            let options = WorkerOptions::new(QUEUE)
                .register_workflow::<Bare>()
                .map_err(|e| anyhow!("{e}"))?
                .register_activities(Nothing)
                .build();
            let mut worker = Worker::new(&runtime, client, options).map_err(|e| anyhow!("{e}"))?;
            worker.run().await.map_err(|e| anyhow!("{e}"))
        });
        if let Err(error) = served {
            eprintln!("the worker of the benchmark failed: {error:#}");
        }
    })?;
    Ok(())
}
