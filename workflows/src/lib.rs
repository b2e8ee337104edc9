//! The workflows of Scan Service, the contract of the activities they call, and the typed client.
//!
//! A workflow only makes decisions, and everything it does must be deterministic: the engine
//! replays its history to rebuild its state. So a workflow takes the time from `workflow_time`,
//! waits with durable timers, and reads and writes the world only through activities. `clippy.toml`
//! bans the functions and types that would break replay, and `tests/tests/replay.rs` replays
//! recorded histories.
//!
//! Where to start reading:
//!
//! | module | content |
//! |---|---|
//! | [`contract`] | names, inputs and outputs of the activities, implemented in `activities` |
//! | `scan` | the workflow of a scan: updates, a timer, parallel activities, compensation |
//! | `delivery` | retries over hours, with a timer between the attempts |
//! | `recharge`, `erasure`, `export` | polling, waiting, and cleaning up |
//! | `upkeep` | one round of a periodic task |
//! | `options` | time-outs, heartbeats and retries of every activity, with the reasons |
//! | [`client`] | the calls that the rest of the service makes |

pub mod client;
pub mod contract;
mod delivery;
mod erasure;
mod export;
mod options;
pub mod queues;
mod recharge;
mod scan;
pub mod search_attributes;
mod upkeep;

pub use delivery::{DeliveryInput, DeliveryResult, RetrySchedule, WebhookDeliveryWorkflow};
pub use domain::ScanSeed;
pub use erasure::{ErasureResult, ErasureWorkflow, erasure_workflow_id};
pub use export::{ExportInput, ExportResult, ExportWorkflow, export_workflow_id};
pub use recharge::{RechargeInput, RechargeResult, RechargeWorkflow};
pub use scan::{CancelInput, ScanResult, ScanWorkflow, StartInput};
pub use upkeep::UpkeepWorkflow;

use domain::{EventId, ScanId, WebhookEndpointId};

/// Returns the id of a scan's workflow.
pub fn scan_workflow_id(scan: &ScanId) -> String {
    format!("scan:{scan}")
}

/// Returns the id of the workflow that delivers an event to an endpoint for the first time.
pub fn delivery_workflow_id(event: &EventId, endpoint: &WebhookEndpointId) -> String {
    format!("webhook:{event}:{endpoint}")
}
