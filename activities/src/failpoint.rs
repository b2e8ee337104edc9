//! Failpoints: places where tests crash the process, or make an activity lose its result.
//!
//! Each activity has one failpoint with the activity's name, after its work and before its result.
//! With `pause`, killing the process is a crash right after the work. With `1*return`, the activity
//! fails once and runs a second time.

use temporalio_sdk::activities::ActivityError;

/// Runs the action that `FAILPOINTS` sets for this activity.
#[cfg(feature = "failpoints")]
pub(crate) async fn failpoint(activity: &'static str) -> Result<(), ActivityError> {
    // On its own thread, because a pause must not block the runtime.
    let discarded = tokio::task::spawn_blocking(move || {
        fail::fail_point!(activity, |_| true);
        false
    });
    match discarded.await {
        Ok(true) => Err(crate::error::retry("FAILPOINT", "a test discarded the result of this activity")),
        _ => Ok(()),
    }
}

/// Does nothing: this build does not have the feature `failpoints`.
#[cfg(not(feature = "failpoints"))]
pub(crate) async fn failpoint(_activity: &'static str) -> Result<(), ActivityError> {
    Ok(())
}
