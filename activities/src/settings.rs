//! What can be configured of scans.

use std::time::Duration;

use domain::{money::Prices, scan};
use serde::{Deserialize, Serialize};

/// What a scan is and costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScanSettings {
    /// What a scan costs, by kind.
    pub prices: Prices,
    /// Scans of one account and mode that may be queued or processing at once.
    pub max_in_progress: u32,
    /// How long a scan can be started after its creation, in seconds. The contract says 24 hours; only
    /// tests shorten it.
    pub start_window_seconds: u64,
    /// Frames that one activity looks at: smaller batches spread over more workers.
    pub frames_a_batch: u32,
    /// How long the media of a complete scan are kept, in days. Frames and document stay.
    pub keep_media_days: u64,
    /// How long archives of accounts are kept, in hours.
    pub keep_exports_hours: u64,
}

impl Default for ScanSettings {
    fn default() -> Self {
        Self {
            prices: Prices::default(),
            max_in_progress: scan::MAX_IN_PROGRESS,
            start_window_seconds: scan::START_WINDOW.as_secs(),
            frames_a_batch: 12,
            keep_media_days: 30,
            keep_exports_hours: 7 * 24,
        }
    }
}

impl ScanSettings {
    /// How long the media of a complete scan are kept.
    pub(crate) const fn keep_media(&self) -> Duration {
        Duration::from_secs(self.keep_media_days * 24 * 60 * 60)
    }
}
