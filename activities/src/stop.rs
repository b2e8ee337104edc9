//! The signal with which a worker stops the activities that it runs.
//!
//! The SDK has a signal of its own, the graceful shutdown period. But it belongs to a worker, and a
//! worker that is merely replaced by a new one must not stop its activities.

use temporalio_sdk::activities::ActivityContext;
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    static STOP: CancellationToken;
}

/// Runs an activity that should end early, with an error that is retried, once `stop` is cancelled.
pub async fn stoppable<F: Future>(stop: CancellationToken, activity: F) -> F::Output {
    STOP.scope(stop, activity).await
}

/// Waits until the workflow cancels the activity, or the worker stops it. Call it in the task of the
/// activity.
#[expect(clippy::disallowed_methods, reason = "the one place that waits for both")]
pub(crate) async fn requested(context: &ActivityContext) {
    // Outside a worker, for example in a test, nothing stops the activity.
    let stop = STOP.try_with(CancellationToken::clone).unwrap_or_default();
    tokio::select! {
        () = context.cancelled() => {}
        () = stop.cancelled() => {}
    }
}
