//! Archives of everything that an account has.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::ExportId;
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of both activities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportActivityInput {
    /// The export, which is in the database already.
    pub export_id: ExportId,
}

/// What `export_account` made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportOutput {
    /// How long the archive is to be kept; `None` when there is none: the account is gone.
    pub keep_ms: Option<u64>,
}

/// Marker of the export activities.
#[derive(Debug)]
pub struct Exports;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Exports {
    /// Makes the archive and stores it at the export's key.
    #[activity(name = "export_account")]
    pub fn export_account(_input: ExportActivityInput) -> Result<ExportOutput, ActivityError> {
        unimplemented!()
    }

    /// Deletes the archive.
    #[activity(name = "drop_export")]
    pub fn drop_export(_input: ExportActivityInput) -> Result<(), ActivityError> {
        unimplemented!()
    }
}

pub use exports::{DropExport, ExportAccount};
