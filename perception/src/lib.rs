//! Seeing and hearing: the five stages of a scan as plain functions of media and models.
//!
//! Every stage blocks, works on local files, and is deterministic: the same input gives the same bytes.
//! What a stage hands to the next is a plain value that goes to object storage as JSON.
//!
//! - [`ingest`]: one pass over the media; which frames are kept, and small descriptions of all samples.
//! - [`observe`]: what models read, hear and see; frames fan out in batches.
//! - [`fuse`]: zones by appearance; sightings of one thing joined.
//! - [`enrich`]: claims with evidence, and the Space Document.

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

pub use cancel::CancelFlag;
pub use error::PerceptionError;
pub use settings::Settings;
