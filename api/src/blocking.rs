//! Pools for work that blocks a thread: each bounds its threads and its queue.
//!
//! Tokio's own blocking threads are shared by all such work, and their queue has no bound. A pool lets
//! one kind of work occupy only its share of them, and refuses requests before they take up memory.

use std::{sync::Arc, time::Duration};

use domain::ApiErrorCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::error::{ApiError, ApiResult};

/// Maximum time that a request waits for a free thread.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Time after which a refused client may try again, in seconds.
const RETRY_AFTER: u64 = 2;

/// A number of blocking threads with a bounded queue. Cheap to clone; clones share the bounds.
#[derive(Clone)]
pub(crate) struct BlockingPool {
    threads: Arc<Semaphore>,
    /// One permit for each request that works or waits.
    admitted: Arc<Semaphore>,
}

/// Permission to use one thread of a pool, one call after the other. It is returned when the last clone
/// is dropped and no call is running any more, even if the request was cancelled meanwhile.
#[derive(Clone)]
pub(crate) struct Slot {
    _permits: Arc<[OwnedSemaphorePermit; 2]>,
}

impl BlockingPool {
    /// Creates a pool of `threads` threads, for which at most `queue` requests wait.
    pub(crate) fn new(threads: usize, queue: usize) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads)),
            admitted: Arc::new(Semaphore::new(threads.saturating_add(queue).min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Waits for a free thread. Enter before the input of the work is loaded, so that requests that wait
    /// hold little memory. Never enter a pool while holding a slot of it.
    ///
    /// # Errors
    /// Returns `UNAVAILABLE` with `Retry-After` if the queue is full, or no thread becomes free in time.
    pub(crate) async fn enter(&self) -> ApiResult<Slot> {
        self.enter_within(MAX_WAIT).await
    }

    async fn enter_within(&self, max_wait: Duration) -> ApiResult<Slot> {
        let busy = || ApiError::new(ApiErrorCode::Unavailable).retry_after(RETRY_AFTER);
        let admitted = self.admitted.clone().try_acquire_owned().map_err(|_full| busy())?;
        let thread = tokio::time::timeout(max_wait, self.threads.clone().acquire_owned()).await;
        let thread = thread.map_err(|_elapsed| busy())?.map_err(|_closed| busy())?;
        Ok(Slot { _permits: Arc::new([admitted, thread]) })
    }
}

impl Slot {
    /// Runs work on a blocking thread.
    ///
    /// # Errors
    /// Returns `INTERNAL` if the work panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ApiResult<T> {
        let slot = self.clone();
        let running = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        running.await.map_err(ApiError::internal)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use domain::RequestId;

    use super::*;

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_says_when_to_retry() {
        let pool = BlockingPool::new(1, 1);
        let working = pool.enter().await.unwrap();
        let waiting = tokio::spawn({
            let pool = pool.clone();
            async move { pool.enter().await.is_ok() }
        });
        tokio::task::yield_now().await;
        let refused = pool.enter().await.err().expect("a full queue");
        assert_eq!(refused.code(), ApiErrorCode::Unavailable);
        let response = refused.into_response(&RequestId::new());
        assert_eq!(response.headers()[http::header::RETRY_AFTER], RETRY_AFTER.to_string().as_str());
        drop(working);
        assert!(waiting.await.unwrap(), "the one that waited gets the thread");
        assert!(pool.enter().await.is_ok());
    }

    #[tokio::test]
    async fn a_request_that_waits_too_long_is_refused() {
        let pool = BlockingPool::new(1, 8);
        let _working = pool.enter().await.unwrap();
        let refused = pool.enter_within(Duration::from_millis(1)).await.err().expect("no free thread");
        assert_eq!(refused.code(), ApiErrorCode::Unavailable);
    }

    #[tokio::test]
    async fn a_cancelled_request_keeps_its_thread_until_the_work_is_done() {
        let pool = BlockingPool::new(1, 0);
        let (finish, finishing) = mpsc::channel::<()>();
        let (begun, beginning) = tokio::sync::oneshot::channel();
        let slot = pool.enter().await.unwrap();
        let request = tokio::spawn(async move {
            let work = move || {
                begun.send(()).unwrap();
                finishing.recv().unwrap();
            };
            slot.run(work).await
        });
        beginning.await.unwrap();
        request.abort();
        assert!(request.await.is_err(), "cancelled");
        assert!(pool.enter().await.is_err(), "the work still runs");
        finish.send(()).unwrap();
        let _free = pool.threads.acquire().await.unwrap();
    }
}
