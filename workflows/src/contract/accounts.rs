//! The end of an account.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::AccountId;
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of the steps of an erasure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureInput {
    /// The account, which is closed already.
    pub account_id: AccountId,
}

/// What `settle_account` left.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettleOutput {
    /// Scans in the pipeline and payments that no bank has decided on.
    pub under_way: u64,
}

/// What `erase_objects` deleted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EraseObjectsOutput {
    /// How many objects this run found.
    pub objects: u64,
}

/// Marker of the account activities.
#[derive(Debug)]
pub struct Accounts;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Accounts {
    /// Cancels scans that were never started, and counts what is still under way.
    #[activity(name = "settle_account")]
    pub fn settle_account(_input: ErasureInput) -> Result<SettleOutput, ActivityError> {
        unimplemented!()
    }

    /// Deletes every object of every scan of the account.
    #[activity(name = "erase_objects")]
    pub fn erase_objects(_input: ErasureInput) -> Result<EraseObjectsOutput, ActivityError> {
        unimplemented!()
    }

    /// Erases the account's records but for the ledger, in one transaction.
    #[activity(name = "erase_records")]
    pub fn erase_records(_input: ErasureInput) -> Result<(), ActivityError> {
        unimplemented!()
    }
}

pub use accounts::{EraseObjects, EraseRecords, SettleAccount};
