//! Perception: the stages of a scan as plain functions of media and models.
//!
//! Every stage blocks, works on local files and is deterministic: the same input gives the same
//! bytes. Each stage returns a plain value, which is stored as JSON for the next stage.
//!
//! - [`ingest`]: reads the media once, keeps frames and describes every sample.
//! - [`observe`]: runs models on frames, in parallel batches, and on the sound.
//! - [`fuse`]: divides the space into zones and merges observations of the same sign or object.
//! - [`enrich`]: makes claims with evidence and builds the Space Document.

pub mod cancel;
pub mod enrich;
pub mod error;
pub mod fuse;
pub mod ingest;
pub mod models;
mod naming;
pub mod observation;
pub mod observe;
pub mod settings;
pub mod signal;
mod views;

pub use cancel::CancelFlag;
pub use error::PerceptionError;
pub use settings::Settings;
pub use views::views;
