//! Ends work that hangs because a dependency does not respond.
//!
//! A server that is stopped or unreachable keeps its connections open, so calls to it hang until
//! time limits that suit slow work. A [`Watch`] leaves slow work alone: it probes the dependency beside
//! the work, and ends the work only if the probe fails too. A request therefore ends at most 1.4 s after
//! its dependency stopped responding.

use std::{
    future::Future,
    time::{Duration, Instant},
};

use tokio::{
    sync::Mutex,
    time::{sleep, timeout},
};

/// Time that work gets before the dependency is probed, and time between two probes.
const PROBE_INTERVAL: Duration = Duration::from_millis(700);
/// Maximum time of a probe.
const PROBE_TIMEOUT: Duration = Duration::from_millis(700);
/// Time for which the result of a probe is shared by all work that waits: a process sends few probes
/// however many requests hang.
const FRESH: Duration = Duration::from_millis(400);

/// The dependency did not respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no response within {PROBE_TIMEOUT:?}")]
pub(crate) struct NoResponse;

/// Watches one dependency for all requests of a process.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The last probe: its end and its result.
    last: Mutex<Option<(Instant, bool)>>,
}

impl Watch {
    /// Runs work that needs the dependency. `probe` returns whether the dependency responds.
    ///
    /// # Errors
    /// Returns [`NoResponse`] if the dependency stopped responding before the work was done.
    pub(crate) async fn guard<T, P>(
        &self,
        probe: impl Fn() -> P,
        work: impl Future<Output = T>,
    ) -> Result<T, NoResponse>
    where
        P: Future<Output = bool>,
    {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.until_silent(probe) => Err(NoResponse),
        }
    }

    /// Completes once a probe fails.
    async fn until_silent<P: Future<Output = bool>>(&self, probe: impl Fn() -> P) {
        loop {
            sleep(PROBE_INTERVAL).await;
            if !self.responds(&probe).await {
                return;
            }
        }
    }

    /// Returns the result of a recent probe, or probes. Concurrent calls share one probe.
    async fn responds<P: Future<Output = bool>>(&self, probe: impl Fn() -> P) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, responded)) = *last
            && at.elapsed() < FRESH
        {
            return responded;
        }
        let responded = timeout(PROBE_TIMEOUT, probe()).await.unwrap_or(false);
        *last = Some((Instant::now(), responded));
        responded
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{pending, ready},
        sync::atomic::{AtomicU32, Ordering},
    };

    use super::*;

    #[tokio::test]
    async fn slow_work_continues_while_the_dependency_responds() {
        let probes = AtomicU32::new(0);
        let probe = || {
            probes.fetch_add(1, Ordering::SeqCst);
            ready(true)
        };
        let work = async {
            while probes.load(Ordering::SeqCst) < 2 {
                sleep(Duration::from_millis(10)).await;
            }
            7
        };
        assert_eq!(Watch::default().guard(probe, work).await, Ok(7));
    }

    #[tokio::test]
    async fn hanging_work_ends_within_two_seconds() {
        for hangs in [true, false] {
            let probe = || async move { if hangs { pending().await } else { false } };
            let began = Instant::now();
            let ended = Watch::default().guard(probe, pending::<()>()).await;
            assert_eq!(ended, Err(NoResponse));
            assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        }
    }

    #[tokio::test]
    async fn hanging_requests_share_their_probes() {
        let (watch, probes) = (Watch::default(), AtomicU32::new(0));
        let probe = || async {
            probes.fetch_add(1, Ordering::SeqCst);
            pending::<bool>().await
        };
        let began = Instant::now();
        let requests = (0..100).map(|_| watch.guard(probe, pending::<()>()));
        let ended = futures::future::join_all(requests).await;
        assert!(ended.iter().all(Result::is_err));
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        assert!(probes.load(Ordering::SeqCst) <= 2, "{probes:?} probes");
    }
}
