//! What is read from Space Documents, over documents that are described in a few words.

mod fixture;
mod skill;
