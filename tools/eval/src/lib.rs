//! Loads all models, and scores Space Documents against the ground truth of sample walks.
//!
//! The program of the same name, which `cargo xtask eval` and `cargo xtask score` run, evaluates
//! the whole pipeline with it.

pub mod models;
pub mod score;
