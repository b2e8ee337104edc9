//! The `scan` command: the server commands, the operators' commands and the client commands.
//!
//! The same binary runs on a laptop (`scan up`) and on many machines (`scan api`, `scan worker`);
//! only the configuration differs. It is also a library, so that tests start exactly what users
//! start.

pub mod admin;
mod browser;
pub mod client;
pub mod config;
pub mod doctor;
pub mod serve;
pub mod telemetry;
pub mod traces;
