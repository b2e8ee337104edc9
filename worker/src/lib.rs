//! Temporal workers: registers the code of each task queue and limits its slots.
//!
//! All queues of a process share one client and one thread for workflows.

mod activity_interceptor;
mod queue;
mod queue_worker;
mod settings;

use std::{collections::BTreeSet, time::Duration};

use activities::Activities;
use futures::future::try_join_all;
use temporalio_client::Client;
use temporalio_sdk::{Runtime, runtime::RuntimeOptions};
use tokio_util::sync::CancellationToken;
use workflows::client::SdkTelemetry;

pub use queue::{Queue, UnknownQueue};
use queue_worker::QueueWorker;
pub use settings::Settings;

/// Why the workers stopped.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A worker could not be created, or ended unexpectedly.
    #[error("the worker of queue {queue} failed: {message}")]
    Queue {
        /// The worker's queue.
        queue: Queue,
        /// Error message of the SDK.
        message: String,
    },
    /// The SDK's runtime, or the thread of the workers, could not be started.
    #[error("the workers could not be started: {0}")]
    Start(String),
    /// The thread of the workers panicked. The log says where.
    #[error("the thread of the workers panicked")]
    Panicked,
    /// Activities were still running ten seconds after the grace period.
    #[error("the workers did not stop in time; other workers will retry their activities")]
    Stuck,
}

/// Time between the end of the grace period and giving up on activities that ignore the stop.
const ABANDON_AFTER: Duration = Duration::from_secs(10);

/// Serves the queues until `stop` is cancelled. Then running activities may finish within the grace
/// period. After it they are stopped, and ten seconds later they are abandoned. With `telemetry`, the
/// workers report metrics.
///
/// # Errors
/// Returns an error if a worker cannot run, ends by itself, or does not stop in time.
pub async fn run(
    client: Client,
    activities: Activities,
    queues: Vec<Queue>,
    settings: Settings,
    telemetry: Option<&SdkTelemetry>,
    stop: CancellationToken,
) -> Result<(), WorkerError> {
    let options = telemetry.map(SdkTelemetry::options).unwrap_or_default();
    let options = RuntimeOptions::builder().telemetry_options(options).build();
    let options = options.map_err(|e| WorkerError::Start(e.to_string()))?;
    let grace = Duration::from_secs(settings.grace_seconds);
    let handle = tokio::runtime::Handle::current();
    let (done, finished) = tokio::sync::oneshot::channel();
    let (stopping, stop_activities) = (stop.clone(), CancellationToken::new());
    let stopped_activities = stop_activities.clone();
    // Workflows are not `Send`, so all workers share one thread for workflow tasks. Activities run
    // on the threads of the runtime.
    std::thread::Builder::new()
        .name("workers".into())
        .spawn(move || {
            let serving = serve(client, activities, queues, settings, options, stopping, stopped_activities);
            let served = handle.block_on(serving);
            // The receiver has been dropped only if the deadline below has passed.
            let _ = done.send(served);
        })
        .map_err(|e| WorkerError::Start(e.to_string()))?;
    let deadline = async {
        stop.cancelled().await;
        tokio::time::sleep(grace).await;
        stop_activities.cancel();
        tokio::time::sleep(ABANDON_AFTER).await;
    };
    tokio::select! {
        served = finished => served.unwrap_or(Err(WorkerError::Panicked)),
        () = deadline => Err(WorkerError::Stuck),
    }
}

async fn serve(
    client: Client,
    activities: Activities,
    queues: Vec<Queue>,
    settings: Settings,
    options: RuntimeOptions,
    stop: CancellationToken,
    stop_activities: CancellationToken,
) -> Result<(), WorkerError> {
    let runtime = Runtime::from_current_tokio(options).map_err(|e| WorkerError::Start(e.to_string()))?;
    let mut queues: BTreeSet<Queue> = queues.into_iter().collect();
    // A worker that is configured with a list of queues keeps the periodic tasks running.
    if queues.contains(&Queue::Scans) {
        queues.insert(Queue::Upkeep);
    }
    let serving = queues.into_iter().map(|queue| {
        let worker = QueueWorker {
            runtime: &runtime,
            client: &client,
            activities: &activities,
            settings: &settings,
            queue,
            stop_activities: &stop_activities,
        };
        worker.serve(&stop)
    });
    try_join_all(serving).await?;
    Ok(())
}
