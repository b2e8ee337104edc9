//! What is read from Space Documents, over documents that are described in a few words.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod ask;
mod diff;
mod fixture;
mod search;
mod skill;
mod wording;
