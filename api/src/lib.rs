//! The HTTP API: what is asked, answered from the database or handed to the engine.
//!
//! [`App`] is the one state that everything shares. The list of endpoints ([`endpoints`]) is the one
//! place where an operation is described; router, authorization, limits and `openapi.json` follow
//! from it. [`server::serve`] puts it on a listener, [`admin::serve`] adds the operators' port.

pub mod admin;
pub mod admission;
pub mod app;
pub mod auth;
pub mod body;
pub mod console;
mod document;
pub mod edge;
pub mod endpoints;
pub mod engine;
pub mod error;
pub mod evidence;
pub mod examples;
mod grouped;
pub mod limits;
mod lookups;
pub mod metrics;
mod numbers;
pub mod openapi;
pub mod page;
pub mod path;
mod receive;
pub mod reference;
pub mod request;
pub mod router;
pub mod routes;
pub mod schema;
pub mod server;
pub mod settings;
mod sync_stream;
pub mod uploads;
pub mod validate;

pub use app::{App, AppParts};
pub use engine::ScanEngine;
pub use error::{ApiError, ApiResult};
pub use settings::Settings;
