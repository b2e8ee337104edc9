//! The contract of the activities: names, inputs and outputs.
//!
//! Inputs are one struct each, so that a field can be added without breaking histories: new fields
//! carry `#[serde(default)]` and none is ever removed. Every activity may run twice for the same
//! input; the second run changes nothing and returns what the first returned.

mod accounts;
mod billing;
mod exports;
mod stages;
mod uploads;
pub(crate) mod webhooks;

pub use accounts::*;
pub use billing::*;
pub use exports::*;
pub use stages::*;
pub use uploads::*;
pub use webhooks::*;
