//! Failpoints: places where tests make an activity fail, hold it, or crash the process.
//!
//! Each activity has two: `before_<activity>`, before its work, and `<activity>`, after its work and
//! before its result. A test acts on them in one of two ways:
//!
//! - `FAILPOINTS`, in the syntax of the crate `fail`, acts on the first activity that arrives. With
//!   `pause`, killing the process is a crash at this place. With `1*return`, the activity fails once.
//! - Files in the folder `SCAN_FAILPOINTS` act on one subject: the file `save@scn_1` on the activity
//!   `save` of this scan, `pay@any` on every payment. Its text is the action: `fail` returns an error
//!   once, `panic` panics once, and `hold` waits until the file is deleted. The failpoint deletes the
//!   file of an action that happens once, and creates `save@scn_1.held` when it begins to wait. The
//!   actions for `any` subject come first, so a test can hold an activity whose subject it does not know
//!   yet.

use temporalio_sdk::activities::ActivityError;

/// Runs the work of an activity on a subject between the activity's failpoints.
///
/// The work is moved to the heap first: the futures of an activity are large, and every layer around them
/// would need their size on the stack.
pub(crate) fn around<'a, T>(
    activity: &'static str,
    subject: &'a str,
    work: impl Future<Output = Result<T, ActivityError>> + Send + 'a,
) -> impl Future<Output = Result<T, ActivityError>> + Send + 'a
where
    T: Send + 'a,
{
    let work = Box::pin(work);
    async move {
        trigger(format!("before_{activity}"), subject).await?;
        let output = work.await?;
        trigger(activity, subject).await?;
        Ok(output)
    }
}

/// Fails or waits if a test says so.
#[cfg(feature = "failpoints")]
pub(crate) async fn trigger(name: impl Into<String>, subject: &str) -> Result<(), ActivityError> {
    use crate::error::retry;

    let name = name.into();

    #[expect(clippy::disallowed_methods, reason = "no setting: only builds for tests have failpoints")]
    let folder = std::env::var_os("SCAN_FAILPOINTS");
    if let Some(folder) = folder {
        for subject in ["any", subject] {
            act_on_file(&std::path::Path::new(&folder).join(format!("{name}@{subject}"))).await?;
        }
    }
    // On its own thread, because a pause must not block the runtime.
    let discarded = tokio::task::spawn_blocking(move || {
        fail::fail_point!(&name, |_| true);
        false
    });
    match discarded.await {
        Ok(true) => Err(retry("FAILPOINT", "a test made this activity fail")),
        _ => Ok(()),
    }
}

/// Does nothing: this build does not have the feature `failpoints`.
#[cfg(not(feature = "failpoints"))]
pub(crate) async fn trigger(_name: impl Into<String>, _subject: &str) -> Result<(), ActivityError> {
    Ok(())
}

/// Does what the text of a file says, if the file exists.
#[cfg(feature = "failpoints")]
#[expect(clippy::panic, reason = "the test requested it")]
async fn act_on_file(file: &std::path::Path) -> Result<(), ActivityError> {
    use crate::error::retry;

    let Ok(action) = tokio::fs::read_to_string(file).await else { return Ok(()) };
    if action == "hold" {
        let _ = tokio::fs::write(file.with_added_extension("held"), "").await;
        while file.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        return Ok(());
    }
    // Of several concurrent activities, the one that deletes the file fails.
    if tokio::fs::remove_file(file).await.is_err() {
        return Ok(());
    }
    tracing::warn!(file = %file.display(), action, "a test makes this activity fail");
    if action == "panic" {
        panic!("a test made this activity panic");
    }
    Err(retry("FAILPOINT", "a test made this activity fail"))
}
