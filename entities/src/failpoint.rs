//! Lines at which tests let the process die.

/// A line between two things that cannot be done at once: every statement of a [`crate::WriteTxn`] has one
/// before it, every commit one on each side. Does what a test asked for; nothing in a build without the feature
/// `failpoints`.
#[cfg(feature = "failpoints")]
pub fn line() {
    fail::fail_point!("line");
}

/// Does nothing: this is a build without the feature `failpoints`.
#[cfg(not(feature = "failpoints"))]
pub const fn line() {}
