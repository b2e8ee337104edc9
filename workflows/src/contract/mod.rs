//! The contract of the activities: their names, inputs and outputs.
//!
//! The crate `activities` implements the definitions. Workflows need only this contract, so they
//! don't depend on the database, storage or models.
//!
//! Rules for changes, because histories of running workflows are replayed with the new code:
//!
//! - An activity takes one struct, so that a field can be added. New fields have
//!   `#[serde(default)]`.
//! - No field is removed or renamed, and no activity is renamed.
//! - Every activity is idempotent: Temporal may run it again after it succeeded. The second run
//!   changes nothing and returns the first outcome.

mod accounts;
mod billing;
mod exports;
mod stages;
mod upkeep;
mod uploads;
pub(crate) mod webhooks;

pub use accounts::*;
pub use billing::*;
pub use exports::*;
pub use stages::*;
pub use upkeep::*;
pub use uploads::*;
pub use webhooks::*;
