//! The typed client through which the rest of the service talks to its workflows.
//!
//! [`Engine`] connects when it is first used and puts a deadline on every request. It offers one
//! method for each request: start a workflow, send an update, read a state, search, or cancel.

mod calls;
mod connection;
mod diagnosis;
mod engine;
mod error;
mod queue_stats;
mod schedules;
mod telemetry;
mod visibility;

pub use connection::{Settings, connect, prepare_namespace};
pub use engine::{Engine, WorkflowState};
pub use error::EngineError;
pub use queue_stats::{QueueStats, TaskType};
pub use schedules::ScheduleState;
pub use telemetry::SdkTelemetry;
pub use visibility::{ListedWorkflow, PageToken, WorkflowPage};
