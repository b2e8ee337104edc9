//! One attempt of a step of a scan: sends its heartbeats, and decides whether its failure is final.
//!
//! Temporal counts attempts, regardless of their reason. So it retries a step without a limit, and this
//! module gives up:
//!
//! | the attempt ended by | limit |
//! |---|---|
//! | an **outage**: storage, the database or a disk failed | `scans.max_outage_seconds` after the outage began |
//! | a **stop**: the worker shut down | none |
//! | a **crash**: a panic, a defect, a time-out, or the death of the worker | [`MAX_CRASHES`] |
//! | **nothing**: the engine recorded a start that no worker received | [`MAX_LOST`] |
//! | a **final error**, for example unreadable media | the first |
//!
//! Outages and stops are excused, and the number of excused attempts travels in the details of the
//! heartbeats: Temporal stores them and hands them to the next attempt. So does the number of attempts
//! that a worker began, which each repetition sends when it begins. An attempt that ends without a
//! report, for example by signal 9, excuses nothing, so it counts as a crash. A repetition without any
//! heartbeat never reached a worker: an engine that is losing its database does that. The first attempt
//! usually ends before its first heartbeat, so it always counts as begun.
//!
//! An outage lasts as long as the attempts keep failing. It is over if the next failure comes much later
//! than a repetition of the last failure would: after the longest failed attempt of the outage and
//! [`QUIET_PERIOD`]. Either an attempt worked for longer than any before it, or none failed for a while.
//! The failure then begins another outage.

use std::time::Duration;

use domain::{FailureCode, ScanId, Stage, Timestamp, scan::Waiting};
use entities::scans;
use serde::{Deserialize, Serialize};
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use crate::{
    Dependencies,
    error::{Ending, give_up},
    heartbeat::Heartbeats,
};

/// Maximum number of attempts of a step that crash.
const MAX_CRASHES: u32 = 5;
/// Maximum number of attempts of a step that no worker received. Each takes the heartbeat time-out of at
/// least 30 s (`workflows/src/options.rs`), so they outlast an engine that is unwell for nearly an hour.
/// There is a limit, because a worker that dies before its first heartbeat looks the same.
const MAX_LOST: u32 = 100;
/// Time without a failure after which an outage is over: much longer than the pause between two attempts
/// (`workflows/src/options.rs`), and longer than a call to storage or the database hangs.
const QUIET_PERIOD: Duration = Duration::from_secs(15 * 60);

/// Details of the heartbeats of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Beat {
    /// Number of earlier attempts that did not crash.
    excused: u32,
    /// Number of attempts that a worker began. Earlier releases did not send it, and every attempt
    /// counted.
    #[serde(default)]
    begun: Option<u32>,
    /// Time of the outage's first failure.
    #[serde(default)]
    outage_since: Option<Timestamp>,
    /// Time of the outage's last failure. Earlier releases did not send it.
    #[serde(default)]
    last_failure: Option<Timestamp>,
    /// Duration of the longest failed attempt of the outage, in milliseconds.
    #[serde(default)]
    longest_ms: u64,
}

/// An attempt that failed.
#[derive(Debug, Clone, Copy)]
struct Failed {
    /// Number of the attempt. The first is 1.
    attempt: u32,
    ending: Ending,
    /// Time at which the attempt started.
    started: Timestamp,
    /// Time of the failure.
    at: Timestamp,
}

impl Beat {
    /// What is known without any heartbeat: the first attempt began and ended soon. No worker received the
    /// others, if there were any.
    const SILENT: Self =
        Self { excused: 0, begun: Some(1), outage_since: None, last_failure: None, longest_ms: 0 };

    /// Returns the details of the previous attempt's last heartbeat.
    fn of_previous(context: &ActivityContext) -> Self {
        match context.heartbeat_details().deserialize::<Self>() {
            Ok(Some(beat)) => beat,
            Ok(None) => Self::SILENT,
            // An earlier release sent other details, and did not count crashes.
            Err(_) => Self { excused: context.info().attempt.saturating_sub(1), ..Self::default() },
        }
    }

    /// Returns the details of an attempt that begins.
    fn begin(self, attempt: u32) -> Self {
        Self { begun: Some(self.begun_before(attempt) + 1), ..self }
    }

    /// Returns how many of the attempts before `attempt` a worker began.
    fn begun_before(self, attempt: u32) -> u32 {
        let earlier = attempt.saturating_sub(1);
        self.begun.map_or(earlier, |begun| begun.min(earlier))
    }

    /// Returns how many of the attempts before `attempt` no worker received.
    fn lost_before(self, attempt: u32) -> u32 {
        attempt.saturating_sub(1) - self.begun_before(attempt)
    }

    /// Returns how many of the attempts before `attempt` crashed.
    fn crashes_before(self, attempt: u32) -> u32 {
        self.begun_before(attempt).saturating_sub(self.excused)
    }

    /// Decides what follows a failed attempt.
    fn after(self, failed: Failed, max_outage: Duration) -> Next {
        let excused = self.excused + 1;
        let current = self.begin(failed.attempt);
        match failed.ending {
            Ending::Stop => Next::Retry(Self { excused, ..current }),
            Ending::Outage(_) => {
                let Beat { outage_since, longest_ms, .. } =
                    if self.outage_is_over(failed.at) { Self::default() } else { self };
                let since = outage_since.unwrap_or(failed.at);
                if failed.at.since(since) >= max_outage {
                    return Next::GiveUp;
                }
                let ran_ms = u64::try_from(failed.at.since(failed.started).as_millis()).unwrap_or(u64::MAX);
                Next::Retry(Self {
                    excused,
                    begun: current.begun,
                    outage_since: Some(since),
                    last_failure: Some(failed.at),
                    longest_ms: longest_ms.max(ran_ms),
                })
            }
            Ending::Defect if self.crashes_before(failed.attempt) + 1 < MAX_CRASHES => Next::Retry(current),
            Ending::Defect => Next::GiveUp,
            Ending::Final => Next::Report,
        }
    }

    /// Returns whether the outage had ended before a failure at this time.
    fn outage_is_over(self, at: Timestamp) -> bool {
        let repetition = Duration::from_millis(self.longest_ms) + QUIET_PERIOD;
        self.last_failure.is_some_and(|last| at.since(last) > repetition)
    }
}

/// What follows a failed attempt.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Another attempt, which receives these details.
    Retry(Beat),
    /// The step fails with [`FailureCode::Internal`].
    GiveUp,
    /// The step fails with the attempt's error.
    Report,
}

/// Runs one attempt of a step of a scan: of a stage, or of the step before the first one. A scan that
/// waits for our infrastructure says so.
pub(crate) async fn run<T>(
    deps: &Dependencies,
    context: &ActivityContext,
    scan: &ScanId,
    stage: Option<Stage>,
    work: impl Future<Output = Result<T, ActivityError>>,
) -> Result<T, ActivityError> {
    let attempt = context.info().attempt;
    let beat = Beat::of_previous(context);
    let crashes = beat.crashes_before(attempt);
    if crashes >= MAX_CRASHES {
        return Err(give_up(FailureCode::Internal, format!("{crashes} attempts crashed without a report")));
    }
    let lost = beat.lost_before(attempt);
    if lost >= MAX_LOST {
        return Err(give_up(FailureCode::Internal, format!("{lost} attempts reached no worker")));
    }
    let heartbeats = Heartbeats::start(context, beat.begin(attempt));
    if attempt > 1 {
        context.record_heartbeat(beat.begin(attempt)).await?;
    }
    let started = Timestamp::now();
    let outcome = work.await;
    let Err(error) = outcome else { return outcome };
    let ending = Ending::of(&error);
    let failed = Failed { attempt, ending, started, at: Timestamp::now() };
    let next = beat.after(failed, deps.scans.max_outage());
    if let (Ending::Outage(cause), Next::Retry(Beat { outage_since: Some(since), .. })) = (ending, &next) {
        record_waiting(deps, scan, stage, Waiting { cause, since: *since }).await;
    }
    // An older heartbeat must not follow the one below.
    heartbeats.stop().await;
    match next {
        Next::Retry(next) => {
            tracing::warn!(%scan, attempt, ?next, ?error, "an attempt failed and will be repeated");
            // The report of the failure carries the details of the last heartbeat.
            context.record_heartbeat(next).await?;
            Err(error)
        }
        Next::GiveUp => {
            tracing::error!(%scan, attempt, ?beat, ?error, "gave up");
            Err(give_up(FailureCode::Internal, format!("gave up after {attempt} attempts: {error:?}")))
        }
        Next::Report => Err(error),
    }
}

/// Records what the scan waits for. It is informative only, so an error is logged: the database may be
/// the part that is unavailable.
async fn record_waiting(deps: &Dependencies, scan: &ScanId, stage: Option<Stage>, waiting: Waiting) {
    let written = deps.db.write(async |txn| scans::set_waiting(&txn, scan, stage, waiting).await).await;
    if let Err(error) = written {
        tracing::warn!(%scan, %error, "failed to record what the scan waits for");
    }
}

#[cfg(test)]
mod tests {
    use domain::scan::WaitCause;

    use super::*;

    const MAX_OUTAGE: Duration = Duration::from_secs(24 * 60 * 60);
    const STORAGE: Ending = Ending::Outage(WaitCause::StorageUnavailable);
    const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    /// Returns the time after this many half minutes, the longest pause between two attempts.
    fn half_minutes(count: u32) -> Timestamp {
        START.plus(Duration::from_secs(30) * count)
    }

    /// Returns an attempt that failed as soon as it started.
    fn failed(ending: Ending, attempt: u32, at: Timestamp) -> Failed {
        Failed { attempt, ending, started: at, at }
    }

    /// Returns the details after an outage.
    fn beat(excused: u32, since: Timestamp, last: Timestamp, longest: Duration) -> Beat {
        let longest_ms = u64::try_from(longest.as_millis()).unwrap();
        let begun = Some(excused);
        Beat { excused, begun, outage_since: Some(since), last_failure: Some(last), longest_ms }
    }

    #[test]
    fn outages_are_excused_for_a_day() {
        let mut beat = Beat::default();
        for attempt in 1..=2_880 {
            let now = half_minutes(attempt - 1);
            let Next::Retry(next) = beat.after(failed(STORAGE, attempt, now), MAX_OUTAGE) else {
                panic!("gave up at attempt {attempt}");
            };
            assert_eq!(next.crashes_before(attempt + 1), 0);
            beat = next;
        }
        assert_eq!(beat.outage_since, Some(START));
        assert_eq!(beat.after(failed(STORAGE, 2_881, half_minutes(2_880)), MAX_OUTAGE), Next::GiveUp);
    }

    #[test]
    fn an_outage_after_a_quiet_day_is_another_outage() {
        let first = beat(1, START, START, Duration::ZERO);
        let late = START.plus(MAX_OUTAGE * 2);
        let second = Next::Retry(beat(2, late, late, Duration::ZERO));
        assert_eq!(first.after(failed(STORAGE, 2, late), MAX_OUTAGE), second);
    }

    #[test]
    fn an_attempt_that_got_further_ends_the_outage() {
        let (short, long) = (Duration::from_secs(5), QUIET_PERIOD * 2);
        let first = beat(1, START, START, short);
        let started = half_minutes(1);
        let at = started.plus(long);
        let got_further = Failed { attempt: 2, ending: STORAGE, started, at };
        assert_eq!(first.after(got_further, MAX_OUTAGE), Next::Retry(beat(2, at, at, long)));
    }

    #[test]
    fn long_attempts_that_fail_at_the_same_place_are_one_outage() {
        let long = QUIET_PERIOD * 4;
        let (mut current, mut at, mut attempt) = (Beat::default(), START, 1);
        loop {
            let started = at.plus(Duration::from_secs(30));
            at = started.plus(long);
            match current.after(Failed { attempt, ending: STORAGE, started, at }, MAX_OUTAGE) {
                Next::Retry(next) => (current, attempt) = (next, attempt + 1),
                Next::GiveUp => break,
                Next::Report => panic!("an outage is not final"),
            }
            assert!(at.since(START) < MAX_OUTAGE * 2, "the outage never ends");
        }
        let began = current.outage_since.unwrap();
        assert!(at.since(began) >= MAX_OUTAGE && at.since(began) < MAX_OUTAGE + long * 2);
    }

    #[test]
    fn stops_of_the_worker_are_excused_without_a_limit() {
        let first = beat(9, START, START, Duration::ZERO);
        let late = START.plus(MAX_OUTAGE * 2);
        let next = Next::Retry(beat(10, START, START, Duration::ZERO));
        assert_eq!(first.after(failed(Ending::Stop, 10, late), MAX_OUTAGE), next);
    }

    #[test]
    fn defects_get_few_attempts_beside_an_outage() {
        let mut beat = Beat::default();
        let mut attempt = 1;
        for _ in 1..MAX_CRASHES {
            for ending in [Ending::Defect, STORAGE] {
                let Next::Retry(next) = beat.after(failed(ending, attempt, START), MAX_OUTAGE) else {
                    panic!("gave up at attempt {attempt}");
                };
                (beat, attempt) = (next, attempt + 1);
            }
        }
        assert_eq!(beat.crashes_before(attempt), MAX_CRASHES - 1);
        assert_eq!(beat.after(failed(Ending::Defect, attempt, START), MAX_OUTAGE), Next::GiveUp);
        // A crash without a report leaves the first heartbeat of its attempt.
        assert_eq!(beat.begin(attempt).crashes_before(attempt + 1), MAX_CRASHES);
    }

    #[test]
    fn attempts_that_no_worker_received_are_no_crashes() {
        let first = Beat::default().begin(1);
        assert_eq!((first.crashes_before(50), first.lost_before(50)), (1, 48));
        let later = first.begin(50);
        assert_eq!((later.crashes_before(51), later.lost_before(51)), (2, 48));
        let silent = Beat::SILENT;
        assert_eq!((silent.begun_before(1), silent.begin(1)), (0, silent));
        assert_eq!((silent.crashes_before(9), silent.lost_before(9)), (1, 7));
        // Every attempt of an earlier release counts as begun.
        let earlier: Beat = serde_json::from_str("{\"excused\":1}").unwrap();
        assert_eq!((earlier.crashes_before(5), earlier.lost_before(5)), (3, 0));
    }

    #[test]
    fn final_errors_are_reported_at_once() {
        assert_eq!(Beat::default().after(failed(Ending::Final, 1, START), MAX_OUTAGE), Next::Report);
    }

    #[test]
    fn details_of_an_earlier_release_are_read() {
        for details in ["0.5", "3", "null"] {
            assert!(serde_json::from_str::<Beat>(details).is_err(), "{details}");
        }
        let known = beat(2, START, half_minutes(3), Duration::from_secs(5));
        let details = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Beat>(&details).unwrap(), known);
        // Without the time of the last failure, the outage continues.
        let since = serde_json::to_string(&START).unwrap();
        let earlier: Beat =
            serde_json::from_str(&format!("{{\"excused\":2,\"outage_since\":{since}}}")).unwrap();
        let now = START.plus(MAX_OUTAGE);
        assert_eq!(earlier.after(failed(STORAGE, 3, now), MAX_OUTAGE), Next::GiveUp);
    }
}
