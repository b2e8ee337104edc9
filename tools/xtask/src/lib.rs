//! Developer commands of Scan Service.
//!
//! Each command is a module with its `Arguments` and its `run`. The crate keeps its dependencies
//! few and light, so that `cargo xtask` starts within seconds of a fresh clone: commands that need
//! the service's crates start separate programs (`bench`, `eval`, the demo).

pub mod bench;
pub mod chaos;
pub mod clients;
pub mod contract;
pub mod demo;
pub mod dist;
pub mod eval;
mod places;
pub mod sample;
pub mod sbom;
pub mod score;
mod server;
pub mod setup;
mod speech;
mod system;
pub mod test;
