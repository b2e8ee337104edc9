//! Tests of skills, answers and differences over documents that are built from short descriptions.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod ask;
mod calculations;
mod corrections;
mod diff;
mod fixture;
mod quantities;
mod registered;
mod skill;
mod strangers;
mod translation;
mod voices;
mod wording;
