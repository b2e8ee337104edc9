//! Sends heartbeats while an activity works, from a task of their own.
//!
//! The first one is sent after an interval: most activities of a scan are done by then, and each heartbeat
//! costs the engine a write.
//!
//! A heartbeat must not wait for anything that the activity does: a slow database write or a long
//! copy would make Temporal believe that the worker died.

use std::time::Duration;

use temporalio_common::data_converters::TemporalSerializable;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use tokio::{task::JoinHandle, time::Instant};

use crate::{error, stop};

/// Time between two heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);

/// A task that sends heartbeats. Dropping it stops the task.
pub(crate) struct Heartbeats(JoinHandle<()>);

impl Heartbeats {
    /// Sends a heartbeat with these details every two seconds.
    pub(crate) fn start<T>(context: &ActivityContext, details: T) -> Self
    where
        T: TemporalSerializable + Clone + Send + Sync + 'static,
    {
        let context = context.clone();
        Self::every(HEARTBEAT_INTERVAL, move || {
            let (context, details) = (context.clone(), details.clone());
            async move {
                if let Err(error) = context.record_heartbeat(details).await {
                    tracing::error!(%error, "failed to encode a heartbeat");
                }
            }
        })
    }

    fn every<F>(period: Duration, mut send: impl FnMut() -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        Self(tokio::spawn(async move {
            let mut ticks = tokio::time::interval_at(Instant::now() + period, period);
            loop {
                ticks.tick().await;
                send().await;
            }
        }))
    }

    /// Stops, and returns once no heartbeat is being sent any more.
    pub(crate) async fn stop(mut self) {
        self.0.abort();
        // The task was cancelled, so there is no result.
        let _ = (&mut self.0).await;
    }
}

impl Drop for Heartbeats {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs async work with heartbeats. Drops the work when the activity is cancelled or the worker
/// shuts down.
pub(crate) async fn with_heartbeats<T>(
    context: &ActivityContext,
    work: impl Future<Output = T>,
) -> Result<T, ActivityError> {
    let _heartbeats = Heartbeats::start(context, 0.0_f32);
    until_stopped(context, work).await
}

/// Runs async work. Drops it when the activity is cancelled or the worker shuts down.
pub(crate) async fn until_stopped<T>(
    context: &ActivityContext,
    work: impl Future<Output = T>,
) -> Result<T, ActivityError> {
    tokio::select! {
        done = work => Ok(done),
        () = stop::requested(context) => Err(error::stopped()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    use super::*;

    const PERIOD: Duration = Duration::from_millis(10);

    fn counting() -> (Arc<AtomicU32>, Heartbeats) {
        let sent = Arc::new(AtomicU32::new(0));
        let counter = sent.clone();
        let heartbeats = Heartbeats::every(PERIOD, move || {
            let counter = counter.clone();
            async move {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        (sent, heartbeats)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[expect(clippy::disallowed_methods, reason = "stands for work that blocks its own task")]
    async fn heartbeats_continue_while_the_work_blocks_its_task() {
        let (sent, heartbeats) = counting();
        // On a task, because the test's own task runs outside the pool of threads.
        let blocked = tokio::spawn(async { std::thread::sleep(PERIOD * 50) });
        blocked.await.unwrap();
        assert!(sent.load(Ordering::SeqCst) >= 5, "{sent:?}");
        heartbeats.stop().await;
    }

    #[tokio::test]
    async fn no_heartbeat_is_sent_after_the_stop() {
        let (sent, heartbeats) = counting();
        tokio::time::sleep(PERIOD * 3).await;
        heartbeats.stop().await;
        let at_stop = sent.load(Ordering::SeqCst);
        assert!(at_stop > 0);
        tokio::time::sleep(PERIOD * 5).await;
        assert_eq!(sent.load(Ordering::SeqCst), at_stop);
    }
}
