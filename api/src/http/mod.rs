//! HTTP: listeners, routing, and the requests and responses that handlers work with.

pub mod admin;
pub mod auth;
pub mod body;
pub mod error;
mod integers;
pub mod middleware;
pub mod page;
pub mod path;
pub(crate) mod receive;
pub mod request;
pub mod router;
pub mod server;
pub(crate) mod sync_stream;
