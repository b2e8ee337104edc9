//! The client commands. They use only the public API.

pub mod account;
pub mod api;
pub mod ask;
pub mod call;
pub mod connection;
pub mod events;
pub mod exit;
pub mod failure;
pub mod get;
pub mod input;
pub mod listen;
pub mod local_scans;
pub mod mcp;
pub mod open;
pub mod output;
pub mod profiles;
pub mod run;
pub mod save;
pub mod scans;
pub mod search;
pub mod shell;
pub mod spaces;
pub mod summary;
pub mod uploads;

pub use connection::Connection;
