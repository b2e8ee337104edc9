//! The `scan` command: wiring of all parts, and the client commands.
//!
//! One binary serves a laptop (`scan up`) and a fleet (`scan api`, `scan worker`); only configuration
//! differs. It is a library too, so that tests can start exactly what users start.

pub mod admin;
pub mod client;
pub mod config;
pub mod serve;
pub mod telemetry;
