//! Places where tests stop the process, or lose an activity's answer, to see what is left then.
//!
//! Each activity has one, named as it is, after its work and before its answer: `pause` there and a
//! kill is a crash right after the work; `1*return` makes the activity run a second time.

use temporalio_sdk::activities::ActivityError;

/// Does what `FAILPOINTS` says of this place; nothing in a build without the feature `failpoints`.
#[cfg(feature = "failpoints")]
pub(crate) async fn failpoint(activity: &'static str) -> Result<(), ActivityError> {
    // On a thread of its own: a pause must not hold up the runtime.
    let lost = tokio::task::spawn_blocking(move || {
        fail::fail_point!(activity, |_| true);
        false
    });
    match lost.await {
        Ok(true) => Err(crate::error::retry("FAILPOINT", "the answer was lost, because a test asked for it")),
        _ => Ok(()),
    }
}

/// Does nothing: this is a build without the feature `failpoints`.
#[cfg(not(feature = "failpoints"))]
pub(crate) async fn failpoint(_activity: &'static str) -> Result<(), ActivityError> {
    Ok(())
}
