//! Developer commands of Scan Service, as a library so that each command can use the others' parts.
//!
//! It depends on nothing heavy: `cargo xtask` must be there within seconds of a fresh clone.

pub mod bench;
pub mod contract;
pub mod demo;
pub mod eval;
pub mod numbers;
pub mod places;
pub mod postgres;
pub mod sample;
pub mod score;
pub mod server;
pub mod setup;
pub mod system;
pub mod test;
