//! One attempt of a step of a scan: sends its heartbeats, and decides whether its failure is final.
//!
//! Temporal counts attempts, regardless of their reason. So it retries a step without a limit, and this
//! module gives up:
//!
//! | the attempt ended by | limit |
//! |---|---|
//! | an **outage**: storage, the database or a disk failed | `scans.max_outage_seconds` after the step's first outage |
//! | a **stop**: the worker shut down | none |
//! | a **crash**: a panic, a defect, a time-out, or the death of the worker | [`MAX_CRASHES`] |
//! | a **final error**, for example unreadable media | the first |
//!
//! Outages and stops are excused, and the number of excused attempts travels in the details of the
//! heartbeats: Temporal stores them and hands them to the next attempt. An attempt that ends without
//! a report, for example by signal 9, excuses nothing, so it counts as a crash.

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

/// Details of the heartbeats of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Beat {
    /// Number of earlier attempts that did not crash.
    excused: u32,
    /// Time of the step's first outage.
    #[serde(default)]
    outage_since: Option<Timestamp>,
}

impl Beat {
    /// Returns the details of the previous attempt's last heartbeat.
    fn of_previous(context: &ActivityContext) -> Self {
        match context.heartbeat_details().deserialize::<Self>() {
            Ok(beat) => beat.unwrap_or_default(),
            // An earlier release sent other details, and did not count crashes.
            Err(_) => Self { excused: context.info().attempt.saturating_sub(1), outage_since: None },
        }
    }

    /// Returns how many of the attempts before `attempt` crashed.
    const fn crashes_before(self, attempt: u32) -> u32 {
        attempt.saturating_sub(1).saturating_sub(self.excused)
    }

    /// Decides what follows an attempt that failed now.
    fn after(self, ending: Ending, attempt: u32, now: Timestamp, max_outage: Duration) -> Next {
        let excused = self.excused + 1;
        match ending {
            Ending::Stop => Next::Retry(Self { excused, ..self }),
            Ending::Outage(_) => {
                let since = self.outage_since.unwrap_or(now);
                if now.since(since) >= max_outage {
                    return Next::GiveUp;
                }
                Next::Retry(Self { excused, outage_since: Some(since) })
            }
            Ending::Defect if self.crashes_before(attempt) + 1 < MAX_CRASHES => Next::Retry(self),
            Ending::Defect => Next::GiveUp,
            Ending::Final => Next::Report,
        }
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
    let heartbeats = Heartbeats::start(context, beat);
    let outcome = work.await;
    let Err(error) = outcome else { return outcome };
    let ending = Ending::of(&error);
    let next = beat.after(ending, attempt, Timestamp::now(), deps.scans.max_outage());
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

    #[test]
    fn outages_are_excused_for_a_day() {
        let mut beat = Beat::default();
        for attempt in 1..=2_880 {
            let now = half_minutes(attempt - 1);
            let Next::Retry(next) = beat.after(STORAGE, attempt, now, MAX_OUTAGE) else {
                panic!("gave up at attempt {attempt}");
            };
            assert_eq!(next.crashes_before(attempt + 1), 0);
            beat = next;
        }
        assert_eq!(beat.outage_since, Some(START));
        assert_eq!(beat.after(STORAGE, 2_881, half_minutes(2_880), MAX_OUTAGE), Next::GiveUp);
    }

    #[test]
    fn stops_of_the_worker_are_excused_without_a_limit() {
        let beat = Beat { excused: 9, outage_since: Some(START) };
        let late = START.plus(MAX_OUTAGE * 2);
        let next = Beat { excused: 10, outage_since: Some(START) };
        assert_eq!(beat.after(Ending::Stop, 10, late, MAX_OUTAGE), Next::Retry(next));
    }

    #[test]
    fn defects_get_few_attempts_beside_an_outage() {
        let mut beat = Beat::default();
        let mut attempt = 1;
        for _ in 1..MAX_CRASHES {
            for ending in [Ending::Defect, STORAGE] {
                let Next::Retry(next) = beat.after(ending, attempt, START, MAX_OUTAGE) else {
                    panic!("gave up at attempt {attempt}");
                };
                (beat, attempt) = (next, attempt + 1);
            }
        }
        assert_eq!(beat.crashes_before(attempt), MAX_CRASHES - 1);
        assert_eq!(beat.after(Ending::Defect, attempt, START, MAX_OUTAGE), Next::GiveUp);
        // A crash without a report leaves the details of the attempt before.
        assert_eq!(beat.crashes_before(attempt + 1), MAX_CRASHES);
    }

    #[test]
    fn final_errors_are_reported_at_once() {
        assert_eq!(Beat::default().after(Ending::Final, 1, START, MAX_OUTAGE), Next::Report);
    }

    #[test]
    fn details_of_an_earlier_release_are_not_a_beat() {
        for details in ["0.5", "3", "null"] {
            assert!(serde_json::from_str::<Beat>(details).is_err(), "{details}");
        }
        let beat = Beat { excused: 2, outage_since: Some(START) };
        let details = serde_json::to_string(&beat).unwrap();
        assert_eq!(serde_json::from_str::<Beat>(&details).unwrap(), beat);
    }
}
