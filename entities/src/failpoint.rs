//! Failpoints: places where crash tests stop the process.

/// Runs the action that a test configured for the failpoint `line`, for example to abort the
/// process. Called between steps that are not atomic: before every statement of a
/// [`crate::WriteTxn`], and before and after every commit.
#[cfg(feature = "failpoints")]
pub fn trigger() {
    fail::fail_point!("line");
}

/// Does nothing, because the feature `failpoints` is off.
#[cfg(not(feature = "failpoints"))]
pub const fn trigger() {}
