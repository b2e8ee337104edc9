//! Decisions: the workflows of Scan Service, and the contract of the activities they call.
//!
//! A workflow here decides and never does: it has no clock but `workflow_time`, no randomness but
//! the context's, and reaches the world only through activities, which live in the crate
//! `activities` and implement the definitions in [`contract`]. `clippy.toml` bans what would break
//! replay. [`client`] is how the rest of the service talks to these workflows.

pub mod client;
pub mod contract;
mod delivery;
mod erasure;
mod export;
mod options;
pub mod queues;
mod recharge;
mod scan;
pub mod search;

pub use delivery::{DeliveryInput, DeliveryResult, RetrySchedule, WebhookDeliveryWorkflow};
pub use erasure::{ErasureResult, ErasureWorkflow, erasure_workflow_id};
pub use export::{ExportInput, ExportResult, ExportWorkflow, export_workflow_id};
pub use recharge::{RechargeInput, RechargeResult, RechargeWorkflow};
pub use scan::{CancelInput, ScanResult, ScanSeed, ScanWorkflow, StartInput};

use domain::{EventId, ScanId, WebhookEndpointId};

/// The workflow of one scan.
pub fn scan_workflow_id(scan: &ScanId) -> String {
    format!("scan:{scan}")
}

/// The workflow of one delivery of one event to one endpoint.
pub fn delivery_workflow_id(event: &EventId, endpoint: &WebhookEndpointId) -> String {
    format!("webhook:{event}:{endpoint}")
}
