//! The typed client through which the rest of the service talks to its workflows.
//!
//! [`Engine`] connects when it is first used and puts a deadline on every request. It offers one
//! method for each request: start a workflow, send an update, read a state, or cancel.

mod calls;
mod connection;
mod engine;
mod error;

pub use connection::{Settings, connect, prepare_namespace};
pub use engine::{Engine, WorkflowState};
pub use error::EngineError;
