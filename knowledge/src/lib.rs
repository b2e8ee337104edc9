//! What is read from Space Documents: skills, answers, differences, hits.
//!
//! Pure functions over [`domain::document::SpaceDocument`]: no I/O, no clock, the same input gives the same
//! answer. Nothing here says more than a claim of the document does.

pub mod ask;
pub mod diff;
pub mod search;
pub mod skill;
mod words;
