//! Tests of skills, answers and differences over documents that are built from short descriptions.

mod ask;
mod diff;
mod fixture;
mod skill;
mod wording;
