//! Processes the outbox entries of one kind, several at a time.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use domain::Timestamp;
use entities::{
    Db, OutboxRow,
    outbox::{self, AfterFailure, Kind},
};
use futures::{FutureExt, future::Either};
use telemetry::Span;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{ENTRY_TIMEOUT, RelayError, within};

/// Time for which other relays skip a claimed entry. It must be longer than [`ENTRY_TIMEOUT`].
const LEASE: Duration = outbox::MAX_LEASE;

/// State of an entry after an attempt that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The entry was completed or deleted.
    Done,
    /// The work goes on elsewhere, which completes the entry. It is checked again later.
    Waiting,
}

/// Does the work of entries. Idempotent.
pub(super) trait Handler: Send + Sync + 'static {
    /// Does the work of an entry.
    fn handle(&self, entry: &OutboxRow) -> impl Future<Output = Result<Progress, RelayError>> + Send;
}

/// The entries of one kind in this process.
pub(super) struct Lane<H> {
    pub(super) db: Db,
    pub(super) kind: Kind,
    /// Maximum number of entries in progress.
    pub(super) slots: usize,
    pub(super) handler: Arc<H>,
}

impl<H: Handler> Lane<H> {
    /// Runs until `stop` is cancelled and the entries in progress are processed. Claims an entry
    /// only when a slot is free for it, so that every claimed entry is processed at once.
    ///
    /// Reads the outbox only when it is woken ([`outbox::subscribe`], [`outbox::wake_due`]) or a slot
    /// becomes free.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut wakeups = outbox::subscribe(&self.db, self.kind);
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            while running.try_join_next().is_some() {}
            for entry in self.claim(self.slots - running.len()).await {
                running.spawn(attempt(self.db.clone(), self.handler.clone(), entry));
            }
            tokio::select! {
                () = stop.cancelled() => {}
                Ok(()) = wakeups.changed() => {}
                Some(_) = running.join_next() => {}
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// Claims up to `free` entries. Logs an error and returns none; the next poll tries again.
    async fn claim(&self, free: usize) -> Vec<OutboxRow> {
        if free == 0 {
            return Vec::new();
        }
        let claim = outbox::claim_due(&self.db, self.kind, free as u64, Timestamp::now(), LEASE);
        within(ENTRY_TIMEOUT, claim).await.unwrap_or_else(|error| {
            tracing::warn!(kind = self.kind.as_str(), %error, "the relay failed to read the outbox");
            Vec::new()
        })
    }
}

/// Processes a claimed entry and releases it, unless it is done.
async fn attempt<H: Handler>(db: Db, handler: Arc<H>, entry: OutboxRow) {
    let span = entry.traceparent.as_deref().map(|parent| Span::consumer("outbox", Some(parent)));
    let work = AssertUnwindSafe(handler.handle(&entry)).catch_unwind();
    let work: Either<_, _> = match &span {
        Some(span) => {
            span.rename(format!("outbox {}", entry.kind.as_str()));
            span.run(work).left_future()
        }
        None => work.right_future(),
    };
    let outcome = match tokio::time::timeout(ENTRY_TIMEOUT, work).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_panic)) => Err(RelayError::Panicked),
        Err(_elapsed) => Err(RelayError::TimedOut),
    };
    if let (Some(span), Err(error)) = (&span, &outcome) {
        span.fail(error.code());
    }
    let released = match outcome {
        Ok(Progress::Done) => Ok(()),
        Ok(Progress::Waiting) => outbox::retry_later(&db, &entry, Timestamp::now()).await.map(|_due| ()),
        Err(error) => record_failure(&db, &entry, &error).await,
    };
    if let Err(error) = released {
        let (kind, subject) = (entry.kind.as_str(), &entry.subject);
        tracing::warn!(kind, subject, %error, "failed to release an outbox entry; it is due again after its lease");
    }
}

/// Records a failure. Logs an error if an operator must act.
async fn record_failure(db: &Db, entry: &OutboxRow, error: &RelayError) -> Result<(), entities::Error> {
    let (kind, subject, failures) = (entry.kind.as_str(), &entry.subject, entry.failures + 1);
    match outbox::record_failure(db, entry, error.code(), error.is_retryable(), Timestamp::now()).await? {
        AfterFailure::RetryAt(due) => {
            tracing::warn!(kind, subject, failures, %error, %due, "failed to process an outbox entry");
        }
        AfterFailure::StuckUntil(due) => {
            tracing::error!(kind, subject, failures, %error, %due, "an outbox entry keeps failing");
        }
        AfterFailure::Parked => {
            tracing::error!(kind, subject, failures, %error, "parked an outbox entry; `scan admin retry-outbox` retries it");
        }
        AfterFailure::Superseded => {
            tracing::warn!(kind, subject, %error, "failed to process an outbox entry that was completed or claimed again");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use entities::testing::on_each_database;
    use tokio::{
        sync::Semaphore,
        task::JoinHandle,
        time::{Instant, sleep},
    };

    use super::*;

    /// Maximum time that a test waits for a lane.
    const TIMEOUT: Duration = Duration::from_secs(20);

    /// Handles an entry as the first word of its subject says.
    struct Scripted {
        db: Db,
        started: Mutex<Vec<String>>,
        gate: Semaphore,
    }

    impl Scripted {
        fn new(db: &Db) -> Arc<Self> {
            Arc::new(Self { db: db.clone(), started: Mutex::default(), gate: Semaphore::new(0) })
        }

        fn started(&self, kind: Kind) -> usize {
            let prefix = format!("{} ", kind.as_str());
            self.started.lock().unwrap().iter().filter(|entry| entry.starts_with(&prefix)).count()
        }
    }

    impl Handler for Scripted {
        async fn handle(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
            let name = format!("{} {}", entry.kind.as_str(), entry.subject);
            self.started.lock().unwrap().push(name);
            match entry.subject.split('_').next() {
                Some("hang") => std::future::pending().await,
                Some("gate") => self.gate.acquire().await.unwrap().forget(),
                Some("panic") => panic!("a panic of the test"),
                Some("malformed") => return Err(RelayError::Subject),
                Some("wait") => return Ok(Progress::Waiting),
                _ => {}
            }
            outbox::complete(&self.db, entry.kind.0, &entry.subject, Timestamp::now()).await?;
            Ok(Progress::Done)
        }
    }

    fn spawn(handler: &Arc<Scripted>, kind: Kind, stop: &CancellationToken) -> JoinHandle<()> {
        let lane = Lane { db: handler.db.clone(), kind, slots: 4, handler: handler.clone() };
        tokio::spawn(lane.run(stop.clone()))
    }

    async fn enqueue(db: &Db, kind: Kind, subject: &str) {
        let (payload, now) = (serde_json::json!({}), Timestamp::now());
        let new = db.write(async |txn| outbox::enqueue(&txn, kind, subject, &payload, now, now).await).await;
        assert!(new.unwrap());
    }

    async fn find(db: &Db, kind: Kind, subject: &str) -> OutboxRow {
        outbox::find(db, kind, subject).await.unwrap().unwrap()
    }

    async fn until(what: &str, condition: impl AsyncFn() -> bool) {
        let deadline = Instant::now() + TIMEOUT;
        while !condition().await {
            assert!(Instant::now() < deadline, "waited {TIMEOUT:?} for {what}");
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends a lane at once, as if the process died.
    async fn kill(lane: JoinHandle<()>) {
        lane.abort();
        assert!(lane.await.unwrap_err().is_cancelled());
    }

    #[tokio::test]
    async fn silent_connection_holds_up_a_lane_for_a_limited_time() {
        let read = std::future::pending::<entities::Result<Vec<OutboxRow>>>();
        let outcome = within(Duration::from_millis(1), read).await;
        assert!(matches!(outcome, Err(RelayError::TimedOut)));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn hanging_entries_delay_no_other_kind() {
        on_each_database(async |db| {
            let (handler, stop) = (Scripted::new(&db), CancellationToken::new());
            for n in 0..40 {
                enqueue(&db, Kind::AccountMail, &format!("hang_{n}")).await;
            }
            let mail = spawn(&handler, Kind::AccountMail, &stop);
            let payments = spawn(&handler, Kind::Payment, &stop);
            until("the mail server to hang", async || handler.started(Kind::AccountMail) == 4).await;
            let before = Instant::now();
            for n in 0..40 {
                enqueue(&db, Kind::Payment, &format!("pay_{n}")).await;
            }
            until("the payments", async || {
                let pending = outbox::list_pending(&db, false, 100).await.unwrap();
                pending.iter().all(|entry| entry.kind != Kind::Payment.as_str())
            })
            .await;
            assert!(before.elapsed() < ENTRY_TIMEOUT / 2, "{:?}", before.elapsed());
            // Only as many messages are claimed as there are slots.
            let pending = outbox::list_pending(&db, false, 100).await.unwrap();
            assert_eq!(pending.len(), 40);
            assert_eq!(pending.iter().filter(|entry| entry.attempts > 0).count(), 4);
            kill(mail).await;
            kill(payments).await;
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn entries_are_claimed_as_slots_free_up() {
        on_each_database(async |db| {
            let (handler, stop) = (Scripted::new(&db), CancellationToken::new());
            for n in 0..7 {
                enqueue(&db, Kind::Event, &format!("gate_{n}")).await;
            }
            let lane = spawn(&handler, Kind::Event, &stop);
            for started in 4..=7 {
                until("the free slots to be used", async || handler.started(Kind::Event) == started).await;
                let pending = outbox::list_pending(&db, false, 100).await.unwrap();
                let claimed = pending.iter().filter(|entry| entry.attempts > 0).count();
                assert_eq!((pending.len(), claimed), (11 - started, 4));
                handler.gate.add_permits(1);
            }
            kill(lane).await;
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn committed_entry_is_processed_without_a_poll() {
        on_each_database(async |db| {
            let (handler, stop) = (Scripted::new(&db), CancellationToken::new());
            let lane = spawn(&handler, Kind::Payment, &stop);
            for subject in ["first", "second", "third"] {
                enqueue(&db, Kind::Payment, subject).await;
                until("the entry", async || find(&db, Kind::Payment, subject).await.done_at.is_some()).await;
            }
            kill(lane).await;
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn one_poll_finds_the_entries_that_become_due_for_all_lanes() {
        on_each_database(async |db| {
            let (handler, stop) = (Scripted::new(&db), CancellationToken::new());
            let lanes = Kind::ALL.map(|kind| spawn(&handler, kind, &stop));
            let earlier = Timestamp::now().minus(Duration::from_secs(60));
            let due = earlier.plus(Duration::from_secs(30));
            for kind in Kind::ALL {
                // It was not due when it was committed, so no lane was woken for it.
                let enqueue = async |txn| {
                    outbox::enqueue(&txn, kind, "later", &serde_json::json!({}), earlier, due).await
                };
                assert!(db.write(enqueue).await.unwrap());
            }
            let interval = Duration::from_millis(50);
            tokio::join!(super::super::poll(&db, interval, &stop), async {
                for kind in Kind::ALL {
                    until("the entry", async || find(&db, kind, "later").await.done_at.is_some()).await;
                }
                stop.cancel();
            });
            for lane in lanes {
                lane.await.unwrap();
            }
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn failures_are_recorded_and_unparsable_entries_are_parked() {
        on_each_database(async |db| {
            let (handler, stop) = (Scripted::new(&db), CancellationToken::new());
            let kinds = [Kind::RechargeMail, Kind::ScanStart];
            let lanes = kinds.map(|kind| spawn(&handler, kind, &stop));
            for kind in kinds {
                for subject in ["malformed", "panic", "wait", "healthy"] {
                    enqueue(&db, kind, subject).await;
                }
                until("all entries", async || handler.started(kind) == 4).await;
                let error_of = async |subject: &str| find(&db, kind, subject).await.last_error;
                let both_recorded = async || {
                    error_of("malformed").await.as_deref() == Some("malformed")
                        && error_of("panic").await.as_deref() == Some("panicked")
                };
                until("the failures", both_recorded).await;
                let healthy = async || find(&db, kind, "healthy").await.done_at.is_some();
                until("the healthy entry", healthy).await;
                // A scan's start is not parked: it is tried again for ever.
                let malformed = find(&db, kind, "malformed").await;
                assert_eq!(malformed.parked_at.is_some(), kind == Kind::RechargeMail);
                let panicked = find(&db, kind, "panic").await;
                assert_eq!((panicked.failures, panicked.parked_at), (1, None));
                let waiting = find(&db, kind, "wait").await;
                assert_eq!((waiting.failures, waiting.last_error, waiting.done_at), (0, None, None));
            }
            for lane in lanes {
                kill(lane).await;
            }
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn stop_waits_for_entries_in_progress() {
        on_each_database(async |db| {
            let (handler, stop) = (Scripted::new(&db), CancellationToken::new());
            enqueue(&db, Kind::Event, "gate_open").await;
            let lane = spawn(&handler, Kind::Event, &stop);
            until("the entry to start", async || handler.started(Kind::Event) == 1).await;
            stop.cancel();
            sleep(Duration::from_millis(200)).await;
            assert!(!lane.is_finished());
            handler.gate.add_permits(1);
            lane.await.unwrap();
            assert!(find(&db, Kind::Event, "gate_open").await.done_at.is_some());
        })
        .await;
    }
}
