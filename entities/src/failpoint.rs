//! Failpoints: places where crash tests stop the process.

/// Marks a point between two steps that are not atomic: before every statement of a
/// [`crate::WriteTxn`], and before and after every commit. Runs the action that a test configured.
/// Does nothing in a build without the feature `failpoints`.
#[cfg(feature = "failpoints")]
pub fn line() {
    fail::fail_point!("line");
}

/// Does nothing, because the feature `failpoints` is off.
#[cfg(not(feature = "failpoints"))]
pub const fn line() {}
