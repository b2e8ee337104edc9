//! The HTTP API: serves requests from the database, and hands scans to the engine.
//!
//! - [`mod@http`] turns a connection into a [`Request`](http::request::Request) and an error into a
//!   response.
//! - [`contract`] describes an endpoint. The router, authorization, limits, `openapi.json` and the
//!   reference pages are derived from these descriptions.
//! - [`routes`] lists the endpoints: one module per resource with its descriptions and handlers.
//! - [`console`] authenticates users of the console, and serves its pages.
//! - [`retries`] retries failed scans, for the endpoint and for operators.
//! - [`limits`] counts requests and refuses those over a rate limit.
//!
//! [`App`] is the state that all of them share. [`http::server::serve`] serves the API on a
//! listener; [`http::admin::serve`] serves the operators' port.

pub mod app;
mod blocking;
pub mod console;
pub mod contract;
pub mod engine;
pub mod http;
mod key_uses;
pub mod limits;
mod loaders;
pub mod metrics;
pub mod retries;
pub mod routes;
pub mod settings;
mod watch;

pub use crate::http::error::{ApiError, ApiResult};
pub use app::{App, AppDependencies};
pub use engine::ScanEngine;
pub use settings::Settings;
