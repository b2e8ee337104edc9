//! Activities on the uploads of a scan: verify, secure, and discard them.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use domain::{ScanId, ScanStatus, Timestamp};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of `verify_uploads`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VerifyInput {
    /// The scan to verify.
    pub scan_id: ScanId,
}

/// Output of `verify_uploads`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VerifyOutput {
    /// Number of declared uploads that are missing in storage.
    pub missing: u32,
}

/// Input of `cancel_scan`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CancelScanInput {
    /// The scan.
    pub scan_id: ScanId,
    /// Time of the cancellation, by the workflow's clock.
    pub now: Timestamp,
}

/// Output of `cancel_scan`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelScanOutput {
    /// Status of the scan now: `cancelled`, or the status that prevented the cancellation. `None`
    /// if there is no such scan.
    pub status: Option<ScanStatus>,
}

/// Input of `secure_media`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SecureInput {
    /// The scan. It has been started.
    pub scan_id: ScanId,
}

/// Output of `secure_media`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SecureOutput {
    /// Number of objects.
    pub objects: u32,
    /// Size of all objects, in bytes.
    pub bytes: u64,
}

/// Input of `discard_media`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscardInput {
    /// The scan. It has ended.
    pub scan_id: ScanId,
}

/// Marker of the upload activities.
#[derive(Debug)]
pub struct Uploads;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Uploads {
    /// Checks that every declared upload is in storage, and records uploads through a signed
    /// URL.
    #[activity(name = "verify_uploads")]
    pub fn verify_uploads(_input: VerifyInput) -> Result<VerifyOutput, ActivityError> {
        unimplemented!()
    }

    /// Moves the scan from `awaiting_upload` to `cancelled`, and schedules the deletion of its
    /// uploads.
    #[activity(name = "cancel_scan")]
    pub fn cancel_scan(_input: CancelScanInput) -> Result<CancelScanOutput, ActivityError> {
        unimplemented!()
    }

    /// Acknowledges the outbox entry `scan_start`: the charge is in the workflow's history now.
    /// Then copies the uploads to keys that no signed URL can write. Fails if an upload has changed
    /// since it was verified.
    #[activity(name = "secure_media")]
    pub fn secure_media(_input: SecureInput) -> Result<SecureOutput, ActivityError> {
        unimplemented!()
    }

    /// Deletes the objects that an ended scan no longer needs: uploads and working files of a
    /// complete scan, and all objects of any other.
    #[activity(name = "discard_media")]
    pub fn discard_media(_input: DiscardInput) -> Result<(), ActivityError> {
        unimplemented!()
    }
}

pub use uploads::{CancelScan, DiscardMedia, SecureMedia, VerifyUploads};
