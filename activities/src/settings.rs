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
    /// Retention of the media of a scan that failed because of the service, in days. Its owner can
    /// retry the scan until then.
    pub keep_failed_media_days: u64,
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
            keep_failed_media_days: 7,
            keep_exports_hours: 7 * 24,
        }
    }
}

impl ScanSettings {
    /// Returns the maximum time that a step of a scan is retried during an outage.
    pub const fn max_outage(&self) -> Duration {
        Duration::from_secs(self.max_outage_seconds)
    }
}

/// Retention of records. `docs/retention.md` lists all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionSettings {
    /// Retention of completed outbox entries, in days.
    pub outbox_days: u64,
    /// Retention of idempotency keys of scans, in days. The public contract says at least 24 hours.
    pub idempotency_keys_days: u64,
    /// Retention of events, in days. The public contract says 30 days.
    pub events_days: u64,
    /// Retention of ended webhook deliveries and of their attempts, in days.
    pub webhook_deliveries_days: u64,
    /// Retention of deleted webhook endpoints, in days.
    pub webhook_endpoints_days: u64,
    /// Retention of expired sessions, mailed tokens and share links, in days.
    pub sessions_days: u64,
    /// Retention of the records of expired account exports, in days.
    pub exports_days: u64,
    /// Retention of the reports of the daily comparison of bank and ledger, in days.
    pub bank_reports_days: u64,
    /// Retention of the audit log, in days.
    pub audit_log_days: u64,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            outbox_days: 7,
            idempotency_keys_days: 2,
            events_days: 30,
            webhook_deliveries_days: 30,
            webhook_endpoints_days: 30,
            sessions_days: 7,
            exports_days: 30,
            bank_reports_days: 400,
            audit_log_days: 730,
        }
    }
}

impl RetentionSettings {
    /// Returns the settings that are shorter than the public contract allows.
    pub fn defects(&self) -> Vec<String> {
        let too_short =
            |name: &str, days: u64, min: u64| (days < min).then(|| format!("{name} must be at least {min}"));
        let limits = [
            too_short("idempotency_keys_days", self.idempotency_keys_days, 1),
            too_short("events_days", self.events_days, 30),
        ];
        limits.into_iter().flatten().collect()
    }
}
