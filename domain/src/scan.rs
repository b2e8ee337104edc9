//! Scans: their statuses and the legal status changes.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{FailureCode, ScanId, SpaceId, Timestamp, media::ScanInput, money::Charge};

/// Time after which an unstarted scan is cancelled.
pub const START_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum time that a step of a scan is retried while our infrastructure is unavailable.
pub const MAX_OUTAGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of queued or processing scans of an account and mode.
pub const MAX_IN_PROGRESS: u32 = 3;

/// Status of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanStatus {
    /// Created; nothing was charged.
    AwaitingUpload,
    /// Started and charged; the pipeline has not begun.
    Queued,
    /// In the pipeline; `stage` names the stage.
    Processing,
    /// Has a Space Document.
    Complete,
    /// Failed with an error; its charge was refunded.
    Failed,
    /// Cancelled by its owner, or not started within 24 hours.
    Cancelled,
}

impl ScanStatus {
    /// All statuses.
    pub const ALL: [ScanStatus; 6] = [
        ScanStatus::AwaitingUpload,
        ScanStatus::Queued,
        ScanStatus::Processing,
        ScanStatus::Complete,
        ScanStatus::Failed,
        ScanStatus::Cancelled,
    ];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            ScanStatus::AwaitingUpload => "awaiting_upload",
            ScanStatus::Queued => "queued",
            ScanStatus::Processing => "processing",
            ScanStatus::Complete => "complete",
            ScanStatus::Failed => "failed",
            ScanStatus::Cancelled => "cancelled",
        }
    }

    /// Parses the result of [`ScanStatus::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Returns whether the status is final.
    pub const fn is_terminal(self) -> bool {
        matches!(self, ScanStatus::Complete | ScanStatus::Failed | ScanStatus::Cancelled)
    }

    /// Returns whether the scan counts against [`MAX_IN_PROGRESS`].
    pub const fn is_in_progress(self) -> bool {
        matches!(self, ScanStatus::Queued | ScanStatus::Processing)
    }

    /// Returns whether the status may change to `next`. A queued scan may fail, because an operator
    /// can cancel or terminate its workflow before the pipeline begins.
    pub const fn may_become(self, next: ScanStatus) -> bool {
        use ScanStatus::{AwaitingUpload, Cancelled, Complete, Failed, Processing, Queued};
        matches!(
            (self, next),
            (AwaitingUpload, Queued | Cancelled)
                | (Queued, Processing | Failed)
                | (Processing, Complete | Failed)
        )
    }
}

impl fmt::Display for ScanStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Stage of a processing scan, in order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Decodes the media, keeps sharp frames with new views, and extracts the audio.
    Ingesting,
    /// Reads text, light, colours, objects and speech.
    Observing,
    /// Merges observations into zones and objects.
    Fusing,
    /// Adds attributes, relations, the summary and the quality.
    Enriching,
    /// Writes the document, its search index and its event.
    Saving,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 5] =
        [Stage::Ingesting, Stage::Observing, Stage::Fusing, Stage::Enriching, Stage::Saving];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stage::Ingesting => "ingesting",
            Stage::Observing => "observing",
            Stage::Fusing => "fusing",
            Stage::Enriching => "enriching",
            Stage::Saving => "saving",
        }
    }

    /// Parses the result of [`Stage::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reason for a failure: the `error` object of a failed scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ScanFailure {
    /// Stable code, see [`FailureCode`].
    pub code: FailureCode,
    /// Message for people. Describes the problem with the media, never internals of the service.
    pub message: String,
    /// The stage that failed; absent if the scan failed before the first stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Whether a new scan of the same media may succeed.
    pub retryable: bool,
}

/// Progress of a processing scan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Progress {
    /// Current stage.
    pub stage: Stage,
    /// Completed share of the stage, 0 to 1.
    pub fraction: f64,
}

/// Part of our infrastructure that a scan waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitCause {
    /// Object storage cannot be reached or fails.
    StorageUnavailable,
    /// The database cannot be reached or fails.
    DatabaseUnavailable,
    /// The disk of a worker is full or fails.
    DiskUnavailable,
}

impl WaitCause {
    /// All causes.
    pub const ALL: [WaitCause; 3] =
        [WaitCause::StorageUnavailable, WaitCause::DatabaseUnavailable, WaitCause::DiskUnavailable];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            WaitCause::StorageUnavailable => "storage_unavailable",
            WaitCause::DatabaseUnavailable => "database_unavailable",
            WaitCause::DiskUnavailable => "disk_unavailable",
        }
    }

    /// Parses the result of [`WaitCause::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == text)
    }
}

impl fmt::Display for WaitCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a started scan waits for before it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Waiting {
    /// The unavailable part of the service.
    pub cause: WaitCause,
    /// When the outage was first noticed.
    pub since: Timestamp,
}

/// One recorded change of status or stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TimelineEntry {
    /// The new status.
    pub status: ScanStatus,
    /// The new stage, while processing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Time of the change.
    pub at: Timestamp,
}

/// A scan in responses and as `data.scan` of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Scan {
    /// Always `scan`.
    #[schema(pattern = "^scan$")]
    pub object: String,
    /// Prefix `scn_`.
    pub id: ScanId,
    /// The owning space.
    pub space_id: SpaceId,
    /// The failed scan that this scan retries; present if it was created from its media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<ScanId>,
    /// Current status.
    pub status: ScanStatus,
    /// Present while `processing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Present while `processing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Present while a started scan waits for an unavailable part of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Whether the scan belongs to live mode.
    pub livemode: bool,
    /// Input declared at creation, without the transcript.
    pub input: ScanInput,
    /// Whether a transcript was sent at creation.
    #[serde(default)]
    pub has_transcript: bool,
    /// Upload instructions; present in the response of the creation and while `awaiting_upload`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload: Option<UploadInstructions>,
    /// The charge; present once the scan was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<Charge>,
    /// The error; present when `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ScanFailure>,
    /// Revision of the document that this scan wrote; present when `complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_revision: Option<i64>,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time at which it was started and charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// Time at which it completed, failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// All changes of status and stage, oldest first.
    pub timeline: Vec<TimelineEntry>,
}

/// Instructions for uploading the media of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UploadInstructions {
    /// `video` or `frames`.
    pub kind: crate::media::InputKind,
    /// Always `PUT`.
    #[schema(pattern = "^PUT$")]
    pub method: String,
    /// URL for the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// URL template for photos: `{index}` stands for the photo's index, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_template: Option<String>,
    /// Headers to send with the upload.
    pub headers: std::collections::BTreeMap<String, String>,
    /// Expiry time of these instructions.
    pub expires_at: Timestamp,
}

/// Outcome of starting a scan. Repeated requests for the same scan return the same outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum StartOutcome {
    /// Charged and queued by this request.
    Started {
        /// The charge.
        charge: Charge,
    },
    /// Charged and queued by an earlier request; nothing was charged again.
    AlreadyStarted {
        /// The charge of the earlier request.
        charge: Charge,
    },
    /// The scan was cancelled or its 24 hours have ended.
    Cancelled,
    /// The scan does not exist.
    NotFound,
    /// Some uploads are missing.
    UploadIncomplete {
        /// Number of missing uploads.
        missing: u32,
    },
    /// The maximum number of scans of the account is queued or processing.
    ScansInProgress {
        /// The maximum number.
        limit: u32,
    },
    /// The key's monthly cap does not cover the price.
    SpendingCapReached,
    /// Neither a free scan nor the balance covers the price.
    InsufficientFunds {
        /// The wallet balance, in cents.
        balance_cents: crate::money::Cents,
        /// The price, in cents.
        price_cents: crate::money::Cents,
    },
}

/// Outcome of cancelling a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CancelOutcome {
    /// Cancelled, now or earlier.
    Cancelled,
    /// The scan no longer awaits its upload.
    NotCancellable {
        /// Its current status.
        status: ScanStatus,
    },
    /// The scan does not exist.
    NotFound,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_statuses_never_change() {
        for from in ScanStatus::ALL {
            for to in ScanStatus::ALL {
                if from.is_terminal() {
                    assert!(!from.may_become(to), "{from} became {to}");
                }
                assert!(!from.may_become(from));
            }
            assert_eq!(ScanStatus::parse(from.as_str()), Some(from));
        }
    }
}
