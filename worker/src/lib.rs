//! Workers by task queue, and nothing else: which code serves which queue, and how much at once.

mod queue;
mod settings;

use std::time::Duration;

use activities::Activities;
use futures::future::try_join_all;
use temporalio_client::Client;
use temporalio_sdk::{Runtime, Worker};
use tokio_util::sync::CancellationToken;

pub use queue::{Queue, UnknownQueue};
pub use settings::Settings;

/// Why workers stopped.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A worker could not be made or ended by itself.
    #[error("worker of queue {queue}: {message}")]
    Queue {
        /// Its queue.
        queue: Queue,
        /// What the SDK says.
        message: String,
    },
    /// The SDK's runtime or the thread of the workers could not be started.
    #[error("workers could not be started: {0}")]
    Start(String),
    /// Activities went on past the grace period and the hard deadline after it.
    #[error("workers did not stop in time; what they were doing is done elsewhere")]
    Stuck,
}

/// Serves the named queues until `stop` is cancelled, then lets running activities finish for the
/// grace period, cancels the rest, and gives up on those that ignore that.
///
/// # Errors
/// [`WorkerError`] when a worker cannot run, or does not stop.
pub async fn run(
    client: Client,
    activities: Activities,
    queues: Vec<Queue>,
    settings: Settings,
    stop: CancellationToken,
) -> Result<(), WorkerError> {
    let grace = Duration::from_secs(settings.grace_seconds);
    let handle = tokio::runtime::Handle::current();
    let (done, finished) = tokio::sync::oneshot::channel();
    let stopped = stop.clone();
    // Workflows are not `Send`: all workers share one thread for deciding; doing happens on the
    // runtime's threads.
    std::thread::Builder::new()
        .name("workers".into())
        .spawn(move || {
            let served = handle.block_on(serve(client, activities, queues, settings, stopped));
            // The receiver is gone only when nobody waits any more.
            let _ = done.send(served);
        })
        .map_err(|e| WorkerError::Start(e.to_string()))?;
    let deadline = async {
        stop.cancelled().await;
        tokio::time::sleep(grace + Duration::from_secs(10)).await;
    };
    tokio::select! {
        served = finished => served.unwrap_or_else(|_| Err(WorkerError::Start("the thread of the workers panicked".into()))),
        () = deadline => Err(WorkerError::Stuck),
    }
}

async fn serve(
    client: Client,
    activities: Activities,
    queues: Vec<Queue>,
    settings: Settings,
    stop: CancellationToken,
) -> Result<(), WorkerError> {
    let runtime =
        Runtime::from_current_tokio(Default::default()).map_err(|e| WorkerError::Start(e.to_string()))?;
    let mut workers = Vec::new();
    for queue in queues {
        let failed = |e: String| WorkerError::Queue { queue, message: e };
        let options = queue.options(&activities, &settings).map_err(failed)?;
        let worker = Worker::new(&runtime, client.clone(), options).map_err(|e| failed(e.to_string()))?;
        workers.push((queue, worker));
    }
    let shutdowns: Vec<_> = workers.iter().map(|(_, worker)| worker.shutdown_handle()).collect();
    let stopping = async {
        stop.cancelled().await;
        shutdowns.iter().for_each(|shutdown| shutdown());
        std::future::pending::<()>().await;
    };
    let running = try_join_all(workers.iter_mut().map(async |(queue, worker)| {
        tracing::info!(%queue, "worker serves");
        let ended =
            worker.run().await.map_err(|e| WorkerError::Queue { queue: *queue, message: e.to_string() });
        if !stop.is_cancelled() {
            tracing::error!(%queue, ?ended, "worker ended by itself");
        }
        ended
    }));
    tokio::select! {
        ended = running => ended.map(|_| ()),
        () = stopping => Ok(()),
    }
}
