//! The facts about a scan that its workflow starts with.

use serde::{Deserialize, Serialize};

use crate::{AccountId, Mode, ScanId, SpaceId, Timestamp, media::InputKind};

/// Input of the workflow of a scan: the facts about the scan that never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScanSeed {
    /// The scan.
    pub scan_id: ScanId,
    /// The account that owns the scan.
    pub account_id: AccountId,
    /// The space that is scanned.
    pub space_id: SpaceId,
    /// Test or live.
    pub mode: Mode,
    /// Video or photos.
    pub kind: InputKind,
    /// When the scan was created.
    pub created_at: Timestamp,
    /// When the scan is cancelled if it has not been started: 24 hours after its creation.
    pub deadline_at: Timestamp,
}
