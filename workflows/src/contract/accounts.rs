//! Activities that erase an account.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use domain::AccountId;
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of every step of an erasure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureInput {
    /// The account. It is closed.
    pub account_id: AccountId,
}

/// Output of `settle_account`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettleOutput {
    /// Number of running scans and open payments.
    pub under_way: u64,
}

/// Output of `erase_objects`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EraseObjectsOutput {
    /// Number of objects that this run deleted.
    pub objects: u64,
}

/// Marker of the account activities.
#[derive(Debug)]
pub struct Accounts;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Accounts {
    /// Cancels scans that were never started, and counts running scans and open payments.
    #[activity(name = "settle_account")]
    pub fn settle_account(_input: ErasureInput) -> Result<SettleOutput, ActivityError> {
        unimplemented!()
    }

    /// Deletes every object of every scan of the account.
    #[activity(name = "erase_objects")]
    pub fn erase_objects(_input: ErasureInput) -> Result<EraseObjectsOutput, ActivityError> {
        unimplemented!()
    }

    /// Erases the account's records, except the ledger, in one transaction.
    #[activity(name = "erase_records")]
    pub fn erase_records(_input: ErasureInput) -> Result<(), ActivityError> {
        unimplemented!()
    }
}

pub use accounts::{EraseObjects, EraseRecords, SettleAccount};
