//! The life of a scan before its pipeline: uploads verified, secured, or dropped.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::{ScanId, ScanStatus, Timestamp};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of `verify_uploads`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VerifyInput {
    /// The scan that is asked to start.
    pub scan_id: ScanId,
}

/// What `verify_uploads` found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VerifyOutput {
    /// How many uploads are missing from storage; 0 when all are there.
    pub missing: u32,
}

/// Input of `cancel_scan`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CancelScanInput {
    /// The scan.
    pub scan_id: ScanId,
    /// When, by the workflow's clock.
    pub now: Timestamp,
}

/// What `cancel_scan` left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelScanOutput {
    /// The scan's status now: `cancelled`, or what it had become before. `None`: no such scan.
    pub status: Option<ScanStatus>,
}

/// Input of `secure_media`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SecureInput {
    /// The started scan.
    pub scan_id: ScanId,
}

/// What `secure_media` copied.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SecureOutput {
    /// How many objects.
    pub objects: u32,
    /// Their size in all.
    pub bytes: u64,
}

/// Input of `discard_media`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscardInput {
    /// The ended scan.
    pub scan_id: ScanId,
}

/// Marker of the upload activities.
#[derive(Debug)]
pub struct Uploads;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Uploads {
    /// Looks in storage for every declared upload, and notes those that came by a signed link.
    #[activity(name = "verify_uploads")]
    pub fn verify_uploads(_input: VerifyInput) -> Result<VerifyOutput, ActivityError> {
        unimplemented!()
    }

    /// `awaiting_upload` → `cancelled`, and the purge of the uploads is put down.
    #[activity(name = "cancel_scan")]
    pub fn cancel_scan(_input: CancelScanInput) -> Result<CancelScanOutput, ActivityError> {
        unimplemented!()
    }

    /// Acknowledges the start intent (the workflow durably knows of the charge now), and copies the
    /// uploads to keys that no signed link can write, on condition that they are what was verified.
    #[activity(name = "secure_media")]
    pub fn secure_media(_input: SecureInput) -> Result<SecureOutput, ActivityError> {
        unimplemented!()
    }

    /// Deletes what an ended scan no longer needs: uploads and working files; for a scan that did not
    /// complete, everything.
    #[activity(name = "discard_media")]
    pub fn discard_media(_input: DiscardInput) -> Result<(), ActivityError> {
        unimplemented!()
    }
}

pub use uploads::{CancelScan, DiscardMedia, SecureMedia, VerifyUploads};
