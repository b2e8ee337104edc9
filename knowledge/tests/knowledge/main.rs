//! What is read from Space Documents, over documents that are described in a few words.

mod ask;
mod diff;
mod fixture;
mod skill;
mod wording;
