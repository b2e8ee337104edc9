//! The production-like stack on loopback, and chaos: faults while clients work on it, then checks from
//! outside that nothing was lost, charged twice or left behind.
//!
//! - [`stack`] starts the system from the configuration that an operator would write: a Temporal server
//!   and the service on PostgreSQL, an S3 server, Redis, two processes of the API and two workers of each
//!   queue.
//! - [`workload`] is clients that create, start, cancel, repeat and abandon scans.
//! - [`plan`] decides from a seed which fault happens when, and [`faults`] carries it out.
//! - [`watch`] observes the database meanwhile, and [`checks`] examines everything afterwards.
//! - [`sabotage`] makes defects on purpose, which the checks must find.
//! - [`run`] puts them together.

pub mod checks;
pub mod faults;
pub mod plan;
pub mod run;
pub mod sabotage;
pub mod stack;
pub mod watch;
pub mod workload;

/// Returns the settings that turn the packaged models off. They take seconds and memory.
pub fn without_models() -> Vec<(String, String)> {
    let models = ["TEXT", "SPEECH", "OBJECTS", "SENTENCES"];
    models.map(|model| (format!("PERCEPTION__MODELS__{model}"), "false".to_owned())).into()
}
