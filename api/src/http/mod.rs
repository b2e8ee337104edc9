//! HTTP: listeners, middleware, routing, authentication by key, and the requests, pages and errors
//! of handlers. Nothing here depends on `routes`.

mod activity;
mod address_budget;
pub mod admin;
pub mod agents;
pub mod auth;
pub mod body;
pub(crate) mod compression;
pub(crate) mod download;
pub mod error;
mod error_envelope;
#[doc(hidden)]
pub mod fuzzing;
mod integers;
pub mod middleware;
pub mod page;
pub mod path;
pub(crate) mod receive;
pub mod request;
pub mod router;
pub mod server;
pub(crate) mod sync_stream;
pub mod tls;
