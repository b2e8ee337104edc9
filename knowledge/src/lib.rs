//! Pure functions over Space Documents: skills, answers to questions, and differences between
//! scans.
//!
//! The functions have no I/O and no clock: the same [`domain::document::SpaceDocument`] gives the
//! same result. Every statement in a result is backed by a claim of the document.

pub mod ask;
pub mod corrections;
pub mod diff;
pub mod skill;
pub mod words;
