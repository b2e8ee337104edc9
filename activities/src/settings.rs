//! Settings of scans.

use std::time::Duration;

use domain::{money::Prices, scan};
use serde::{Deserialize, Serialize};

/// Prices, limits and retention of scans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScanSettings {
    /// Price of a scan, by kind.
    pub prices: Prices,
    /// Maximum number of scans of one account and mode that are queued or processing.
    pub max_in_progress: u32,
    /// Time after its creation in which a scan can be started, in seconds. The public contract says
    /// 24 hours; only tests shorten it.
    pub start_window_seconds: u64,
    /// Number of frames that one activity observes. Smaller batches spread over more workers.
    pub frames_a_batch: u32,
    /// Maximum time that a step of a scan is retried while storage, the database or a worker's disk is
    /// unavailable, in seconds. After it the scan fails and is refunded.
    pub max_outage_seconds: u64,
    /// Retention of the media of a complete scan, in days. Frames and document are kept.
    pub keep_media_days: u64,
    /// Retention of the archives of accounts, in hours.
    pub keep_exports_hours: u64,
}

impl Default for ScanSettings {
    fn default() -> Self {
        Self {
            prices: Prices::default(),
            max_in_progress: scan::MAX_IN_PROGRESS,
            start_window_seconds: scan::START_WINDOW.as_secs(),
            frames_a_batch: 12,
            max_outage_seconds: scan::MAX_OUTAGE.as_secs(),
            keep_media_days: 30,
            keep_exports_hours: 7 * 24,
        }
    }
}

impl ScanSettings {
    /// Returns the maximum time that a step of a scan is retried during an outage.
    pub const fn max_outage(&self) -> Duration {
        Duration::from_secs(self.max_outage_seconds)
    }

    /// Returns the retention of the media of a complete scan.
    pub(crate) const fn media_retention(&self) -> Duration {
        Duration::from_secs(self.keep_media_days * 24 * 60 * 60)
    }
}
