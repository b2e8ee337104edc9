//! The worker of one queue, which replaces itself after a number of activities.
//!
//! The SDK keeps the task token of every activity for as long as its worker exists
//! (`task_tokens_to_cancels`), so a worker grows for ever. The old worker stops polling and finishes
//! the activities that it runs, however long they take. Meanwhile the new one polls, so the queue is
//! always served (ADR 16).

use activities::Activities;
use futures::stream::{FuturesUnordered, StreamExt};
use temporalio_client::Client;
use temporalio_sdk::{Runtime, Worker};
use tokio_util::sync::CancellationToken;

use crate::{Queue, Settings, WorkerError, activity_interceptor::ActivityInterceptor};

/// What the workers of a queue are created from.
pub(crate) struct QueueWorker<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) client: &'a Client,
    pub(crate) activities: &'a Activities,
    pub(crate) settings: &'a Settings,
    pub(crate) queue: Queue,
    /// Stops the running activities.
    pub(crate) stop_activities: &'a CancellationToken,
}

/// Reason why a worker is shut down.
enum Shutdown {
    /// The process stops.
    Stop,
    /// The worker has run enough activities.
    Restart,
}

impl QueueWorker<'_> {
    /// Serves the queue until `stop` is cancelled and all activities have finished.
    pub(crate) async fn serve(self, stop: &CancellationToken) -> Result<(), WorkerError> {
        let queue = self.queue;
        // Workers that no longer poll, and finish their activities.
        let mut draining = FuturesUnordered::new();
        loop {
            let full = CancellationToken::new();
            let mut worker = self.create(&full)?;
            let shut_down = worker.shutdown_handle();
            tracing::info!(%queue, "worker started");
            let mut running = Box::pin(async move {
                worker.run().await.map_err(|e| WorkerError::Queue { queue, message: e.to_string() })
            });
            let reason = loop {
                tokio::select! {
                    ended = &mut running => {
                        tracing::error!(%queue, ?ended, "worker ended unexpectedly");
                        ended?;
                        let message = "it ended unexpectedly".to_owned();
                        return Err(WorkerError::Queue { queue, message });
                    }
                    Some(drained) = draining.next() => drained?,
                    () = stop.cancelled() => break Shutdown::Stop,
                    () = full.cancelled() => break Shutdown::Restart,
                }
            };
            shut_down();
            draining.push(running);
            match reason {
                Shutdown::Stop => break,
                Shutdown::Restart => tracing::info!(%queue, "worker restarts to free memory"),
            }
        }
        while let Some(drained) = draining.next().await {
            drained?;
        }
        Ok(())
    }

    /// Creates a worker that cancels `full` once it has started its share of activities.
    fn create(&self, full: &CancellationToken) -> Result<Worker, WorkerError> {
        let failed = |message: String| WorkerError::Queue { queue: self.queue, message };
        let interceptor = ActivityInterceptor::new(
            self.settings.restart_after_activities,
            full.clone(),
            self.stop_activities.clone(),
        );
        let options = self.queue.options(self.activities, self.settings, interceptor).map_err(failed)?;
        Worker::new(self.runtime, self.client.clone(), options).map_err(|e| failed(e.to_string()))
    }
}
