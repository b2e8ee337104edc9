//! Activities that export an account.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use domain::ExportId;
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of both activities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportActivityInput {
    /// The export. Its row is in the database.
    pub export_id: ExportId,
}

/// Output of `export_account`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportOutput {
    /// How long to keep the archive, in milliseconds. `None` if the account was erased before.
    pub keep_ms: Option<u64>,
}

/// Marker of the export activities.
#[derive(Debug)]
pub struct Exports;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Exports {
    /// Builds the archive and stores it at the export's key.
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
