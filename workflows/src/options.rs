//! How patiently each activity is called, in one place.

use std::time::Duration;

use domain::AccountId;
use temporalio_common::{Priority, RetryPolicy};
use temporalio_sdk::{ActivityOptions, LocalActivityOptions, WorkflowCancellationToken};

use crate::queues;

/// Attempts of a stage before its scan fails. Media that cannot be read fail at once.
const STAGE_ATTEMPTS: u32 = 5;
/// A stage that says nothing for this long is started elsewhere.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// A question to a bank that says nothing for this long is asked elsewhere.
const BANK_HEARTBEAT: Duration = Duration::from_secs(10);
/// The longest a stage may take: an hour of video on one slow worker.
const STAGE_LIMIT: Duration = Duration::from_secs(4 * 60 * 60);

/// Retried for ever: first after `first`, then after ever longer waits, up to `longest`.
fn retried(first: Duration, longest: Duration) -> RetryPolicy {
    RetryPolicy::builder().initial_interval(first).maximum_interval(longest).build()
}

/// A short database step inside an update: the caller waits, so it gives up soon and is asked again.
pub(crate) fn answer_now(summary: &str) -> LocalActivityOptions {
    LocalActivityOptions::builder()
        .start_to_close_timeout(Duration::from_secs(10))
        .schedule_to_close_timeout(Duration::from_secs(20))
        .retry_policy(RetryPolicy::builder().initial_interval(Duration::from_millis(50)).build())
        .summary(summary.to_owned())
        .build()
}

/// A short database step that nobody waits for, and that must happen.
pub(crate) fn until_done(summary: &str) -> LocalActivityOptions {
    LocalActivityOptions::builder()
        .start_to_close_timeout(Duration::from_secs(10))
        .schedule_to_close_timeout(Duration::from_secs(365 * 24 * 60 * 60))
        .retry_policy(retried(Duration::from_millis(200), Duration::from_secs(60)))
        .cancellation_token(WorkflowCancellationToken::new())
        .summary(summary.to_owned())
        .build()
}

/// One stage, or a part of one: watched by heartbeats, retried a few times, fair between accounts.
pub(crate) fn stage(queue: &str, account: &AccountId, summary: String) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(STAGE_LIMIT)
        .heartbeat_timeout(HEARTBEAT)
        .task_queue(queue)
        .retry_policy(
            RetryPolicy::builder()
                .initial_interval(Duration::from_secs(1))
                .maximum_interval(Duration::from_secs(30))
                .maximum_attempts(STAGE_ATTEMPTS)
                .build(),
        )
        .priority(Priority::builder().fairness_key(account.to_string()).build())
        .summary(summary)
        .build()
}

/// What must happen however long it takes, also when the workflow was cancelled: refunds, terminal
/// events, clean-up. It runs under a token of its own, so that cancellation does not swallow it.
pub(crate) fn compensation(queue: &str, summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(Duration::from_secs(5 * 60))
        .task_queue(queue)
        .retry_policy(retried(Duration::from_millis(500), Duration::from_secs(60)))
        .cancellation_token(WorkflowCancellationToken::new())
        .summary(summary)
        .build()
}

/// A step of the end of an account, which must happen however long it takes. Watched by heartbeats, so that it
/// is soon begun again when its worker dies.
pub(crate) fn erasure(summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(STAGE_LIMIT)
        .heartbeat_timeout(HEARTBEAT)
        .task_queue(queues::SCANS)
        .retry_policy(retried(Duration::from_millis(500), Duration::from_secs(60)))
        .cancellation_token(WorkflowCancellationToken::new())
        .summary(summary.to_owned())
        .build()
}

/// An archive of an account, which takes as long as its media take: watched by heartbeats.
pub(crate) fn export(summary: &str) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(STAGE_LIMIT)
        .heartbeat_timeout(HEARTBEAT)
        .task_queue(queues::SCANS)
        .retry_policy(retried(Duration::from_secs(1), Duration::from_secs(5 * 60)))
        .summary(summary.to_owned())
        .build()
}

/// One question to the bank, which can take its time. The workflow does the waiting between questions,
/// so this is retried when the worker dies, or when our own side does not work. An account has one automatic
/// top-up at a time, so heartbeats tell soon that a worker died: the next top-up waits for this one.
pub(crate) fn payment(account: &AccountId, attempt: u32) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(Duration::from_secs(3 * 60))
        .heartbeat_timeout(BANK_HEARTBEAT)
        .task_queue(queues::BILLING)
        .retry_policy(retried(Duration::from_secs(1), Duration::from_secs(60)))
        .priority(Priority::builder().fairness_key(account.to_string()).build())
        .summary(format!("ask the bank, time {attempt}"))
        .build()
}

/// One attempt to deliver an event: 10 s for the receiver, the rest for our own database. The
/// workflow does the waiting between attempts, so this is retried only when the worker dies.
pub(crate) fn delivery(endpoint: &str, attempt: u32, of: u32) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(Duration::from_secs(45))
        .task_queue(queues::WEBHOOKS)
        .retry_policy(retried(Duration::from_secs(1), Duration::from_secs(60)))
        .priority(Priority::builder().fairness_key(endpoint).build())
        .summary(format!("attempt {attempt} of {of}"))
        .build()
}
