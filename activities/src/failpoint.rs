//! Places where tests stop the process, to see what is left when it dies just there.

/// Does what `FAILPOINTS` says of this place; nothing in a build without the feature `failpoints`.
#[cfg(feature = "failpoints")]
pub(crate) async fn failpoint(name: &'static str) {
    // On a thread of its own: a pause must not hold up the runtime.
    let _ = tokio::task::spawn_blocking(move || fail::fail_point!(name)).await;
}

/// Does nothing: this is a build without the feature `failpoints`.
#[cfg(not(feature = "failpoints"))]
pub(crate) async fn failpoint(_name: &'static str) {}
