//! Time-outs, heartbeats and retry policies of every activity call, in one place.
//!
//! # Local or ordinary?
//!
//! - A **local activity** runs in the worker that processes the workflow task. It saves the round
//!   trip through a task queue (tens of milliseconds), but its result is durable only when the
//!   workflow task completes, and it cannot heartbeat. Used for short database transactions.
//! - An **ordinary activity** is dispatched through a task queue to any worker that serves it. Used
//!   for everything else: long work, work that needs other hardware, and calls to other services.
//!
//! # How often is it retried?
//!
//! - Work for a waiting caller: for a few seconds. The caller repeats the whole request.
//! - A stage: for a day while our infrastructure is unavailable, and a few times after a crash or a
//!   defect. Then the scan fails and is refunded, which is better than never ending. The retry policy
//!   has no limit, because Temporal counts all attempts alike: the activity itself gives up
//!   (`activities/src/attempt.rs`).
//! - A compensation or an erasure: until it succeeds. Giving up would lose money or keep data.
//! - A delivery or a payment: the workflow decides when to try again, with durable timers. The
//!   retry policy only covers failures on our side, such as a worker that died.
//!
//! Errors that a retry cannot fix are marked as non-retryable where they occur, in the activities.
//!
//! # Cancellation
//!
//! An activity that must run although its workflow was cancelled has its own cancellation token.

use std::time::Duration;

use domain::AccountId;
use temporalio_common::{Priority, RetryPolicy};
use temporalio_sdk::{ActivityOptions, LocalActivityOptions, WorkflowCancellationToken};

use crate::queues;

/// Time without a heartbeat after which long work is retried on another worker.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(30);
/// Time without a heartbeat after which a call to the bank is retried on another worker.
const BANK_HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time without a heartbeat after which a round of a periodic task is retried on another worker.
const UPKEEP_HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time of one attempt of long work: one hour of video on one slow worker.
const LONG_WORK_TIMEOUT: Duration = Duration::from_secs(4 * 60 * 60);

/// Maximum time between two attempts that a local activity waits without a durable timer.
const MAX_LOCAL_WAIT: Duration = Duration::from_secs(5);
/// Maximum time between two attempts of a local activity that must happen.
const MAX_UNTIL_DONE_INTERVAL: Duration = Duration::from_secs(2 * 60 * 60);
/// Total time in which a local activity that must happen is retried.
const UNTIL_DONE_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Retries without a limit. The interval doubles from `initial` up to `maximum`.
fn unlimited_retries(initial: Duration, maximum: Duration) -> RetryPolicy {
    RetryPolicy::builder().initial_interval(initial).maximum_interval(maximum).build()
}

/// A short database transaction inside an update. An API request waits for it, so it gives up after
/// 20 seconds, and the caller repeats the update.
pub(crate) fn local_for_update(summary: &str) -> LocalActivityOptions {
    LocalActivityOptions::builder()
        .start_to_close_timeout(Duration::from_secs(10))
        .schedule_to_close_timeout(Duration::from_secs(20))
        .retry_policy(RetryPolicy::builder().initial_interval(Duration::from_millis(50)).build())
        .summary(summary.to_owned())
        .build()
}

/// A short database transaction that must happen, and that no caller waits for. It is retried for a
/// year, also when the workflow has been cancelled.
///
/// While it waits locally, the workflow task stays open and grows the history every few seconds. So
/// all but the first waits are durable timers, and the waits become long enough for a year to fit into
/// the history.
pub(crate) fn local_until_done(summary: &str) -> LocalActivityOptions {
    LocalActivityOptions::builder()
        .start_to_close_timeout(Duration::from_secs(10))
        .schedule_to_close_timeout(UNTIL_DONE_TIMEOUT)
        .retry_policy(unlimited_retries(Duration::from_millis(200), MAX_UNTIL_DONE_INTERVAL))
        .timer_backoff_threshold(MAX_LOCAL_WAIT)
        .cancellation_token(WorkflowCancellationToken::new())
        .summary(summary.to_owned())
        .build()
}

/// Shares the workers among accounts: one account with many tasks does not delay the others. The
/// activities of a workflow inherit its priority, and so do its workflow tasks, which run the local
/// activities.
pub(crate) fn fair_to(account: &AccountId) -> Priority {
    Priority::builder().fairness_key(account.to_string()).build()
}

/// A stage, or one part of it. The activity counts its crashes and outages, and gives up by itself.
pub(crate) fn stage(queue: &str, account: &AccountId, summary: String) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(LONG_WORK_TIMEOUT)
        .heartbeat_timeout(HEARTBEAT_TIMEOUT)
        .task_queue(queue)
        .retry_policy(unlimited_retries(Duration::from_secs(1), Duration::from_secs(30)))
        .priority(fair_to(account))
        .summary(summary)
        .build()
}

/// A step after the end of the actual work: a refund, an event, a clean-up. It must happen however
/// long it takes, also when the workflow has been cancelled. Heartbeats restart it soon after its worker
/// died.
pub(crate) fn compensation(queue: &str, summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(Duration::from_secs(5 * 60))
        .heartbeat_timeout(HEARTBEAT_TIMEOUT)
        .task_queue(queue)
        .retry_policy(unlimited_retries(Duration::from_millis(500), Duration::from_secs(60)))
        .cancellation_token(WorkflowCancellationToken::new())
        .summary(summary)
        .build()
}

/// A step of an account's erasure. It must happen however long it takes. Heartbeats restart it soon
/// after its worker died.
pub(crate) fn erasure(summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(LONG_WORK_TIMEOUT)
        .heartbeat_timeout(HEARTBEAT_TIMEOUT)
        .task_queue(queues::SCANS)
        .retry_policy(unlimited_retries(Duration::from_millis(500), Duration::from_secs(60)))
        .cancellation_token(WorkflowCancellationToken::new())
        .summary(summary.to_owned())
        .build()
}

/// The archive of an account. It takes as long as copying the account's media, so it heartbeats.
pub(crate) fn export(summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(LONG_WORK_TIMEOUT)
        .heartbeat_timeout(HEARTBEAT_TIMEOUT)
        .task_queue(queues::SCANS)
        .retry_policy(unlimited_retries(Duration::from_secs(1), Duration::from_secs(5 * 60)))
        .summary(summary.to_owned())
        .build()
}

/// One round of a periodic task. The short heartbeat time-out replaces a dead worker soon, and the
/// high priority lets a round run although many scans wait in the queue.
pub(crate) fn upkeep(summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(LONG_WORK_TIMEOUT)
        .heartbeat_timeout(UPKEEP_HEARTBEAT_TIMEOUT)
        .task_queue(queues::SCANS)
        .retry_policy(unlimited_retries(Duration::from_millis(500), Duration::from_secs(10)))
        .priority(Priority::builder().priority_key(1).build())
        .summary(summary.to_owned())
        .build()
}

/// One call to the bank, which may take minutes. Between the calls the workflow waits with a timer,
/// so the retry policy covers only failures on our side. The short heartbeat time-out detects a
/// dead worker soon: an account has one automatic top-up at a time, and the next one waits for this
/// one.
pub(crate) fn payment(account: &AccountId, attempt: u32) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(Duration::from_secs(3 * 60))
        .heartbeat_timeout(BANK_HEARTBEAT_TIMEOUT)
        .task_queue(queues::BILLING)
        .retry_policy(unlimited_retries(Duration::from_secs(1), Duration::from_secs(60)))
        .priority(fair_to(account))
        .summary(format!("call {attempt} to the bank"))
        .build()
}

/// One attempt to deliver an event: 10 seconds for the receiver, the rest for our own database.
/// Between the attempts the workflow waits with a timer, so the retry policy covers only failures
/// on our side. The priority is the one of the workflow: an account with many endpoints has the share of
/// one account.
pub(crate) fn delivery(attempt: u32, max_attempts: u32) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(Duration::from_secs(45))
        .task_queue(queues::WEBHOOKS)
        .retry_policy(unlimited_retries(Duration::from_secs(1), Duration::from_secs(60)))
        .summary(format!("attempt {attempt} of {max_attempts}"))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server's limit of history events.
    const MAX_EVENTS: u32 = 51_200;
    /// Events of one attempt that ends with a timer, at most: two workflow tasks of three events each
    /// (the second because the attempt ran into its time-out), a marker, and the timer's start and end.
    const EVENTS_PER_ATTEMPT: u32 = 9;

    #[test]
    fn a_year_of_attempts_fits_into_the_history() {
        let options = local_until_done("cancel");
        let threshold = options.timer_backoff_threshold.unwrap();
        let longest_wait = options.retry_policy.maximum_interval().unwrap();
        let total = options.schedule_to_close_timeout.unwrap();
        let (mut wait, mut waited) = (options.retry_policy.initial_interval(), Duration::ZERO);
        let (mut waited_locally, mut timers) = (Duration::ZERO, 0);
        while waited < total {
            if wait > threshold {
                timers += 1;
            } else {
                waited_locally += wait;
            }
            waited += wait;
            wait = (wait * 2).min(longest_wait);
        }
        assert!(
            waited_locally <= Duration::from_secs(10),
            "the workflow task stays open for {waited_locally:?}"
        );
        assert!(timers * EVENTS_PER_ATTEMPT < MAX_EVENTS, "{timers} timers");
    }

    #[test]
    fn long_steps_heartbeat_and_are_retried_without_a_limit() {
        let account = AccountId::new();
        let steps = [
            stage(queues::MEDIA, &account, "decode".to_owned()),
            compensation(queues::BILLING, "refund"),
            erasure("erase"),
            export("export"),
        ];
        for step in steps {
            assert_eq!(step.heartbeat_timeout, Some(HEARTBEAT_TIMEOUT), "{step:?}");
            assert_eq!(step.retry_policy.unwrap().maximum_attempts(), 0);
        }
    }
}
