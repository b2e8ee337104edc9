//! Scans: their states, and which change of state is legal.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{FailureCode, ScanId, SpaceId, Timestamp, media::ScanInput, money::Charge};

/// Time before an unstarted scan is cancelled.
pub const START_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// Scans of one account and mode that may be queued or processing at once.
pub const MAX_IN_PROGRESS: u32 = 3;

/// Where a scan is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanStatus {
    /// Created; nothing charged.
    AwaitingUpload,
    /// Started and charged; the pipeline has not begun.
    Queued,
    /// In the pipeline; `stage` says where.
    Processing,
    /// Has a Space Document.
    Complete,
    /// Has an error, and its charge was refunded.
    Failed,
    /// Cancelled by its owner, or not started within 24 hours.
    Cancelled,
}

impl ScanStatus {
    /// Every status.
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

    /// Reads [`ScanStatus::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Whether nothing changes any more.
    pub const fn is_terminal(self) -> bool {
        matches!(self, ScanStatus::Complete | ScanStatus::Failed | ScanStatus::Cancelled)
    }

    /// Whether it counts against [`MAX_IN_PROGRESS`].
    pub const fn is_in_progress(self) -> bool {
        matches!(self, ScanStatus::Queued | ScanStatus::Processing)
    }

    /// The state table of the contract. A queued scan may also fail: its pipeline can be cancelled or
    /// terminated by an operator before it begins, and then the money goes back all the same.
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

/// What a processing scan is doing, in processing order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Decoding; keeping sharp and new frames; sound out.
    Ingesting,
    /// Reading text, light, colours, objects and speech.
    Observing,
    /// Joining observations into zones and things.
    Fusing,
    /// Attributes, relations, summary, quality.
    Enriching,
    /// Writing the document, its index and its event.
    Saving,
}

impl Stage {
    /// Every stage, in order.
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

    /// Reads [`Stage::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a scan failed: the `error` object of a failed scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ScanFailure {
    /// Stable code, see [`FailureCode`].
    pub code: FailureCode,
    /// For people. Says what was wrong with the media, never how the service works inside.
    pub message: String,
    /// The stage it happened in; absent when it happened before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Whether a new scan of the same media may succeed.
    pub retryable: bool,
}

/// How far a processing scan is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Progress {
    /// The stage it is in.
    pub stage: Stage,
    /// How much of that stage is done, 0 to 1.
    pub fraction: f64,
}

/// One change of state, as it was recorded.
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

/// A scan as callers see it: in answers, and as `data.scan` of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Scan {
    /// Always `scan`.
    #[schema(pattern = "^scan$")]
    pub object: String,
    /// Prefix `scn_`.
    pub id: ScanId,
    /// The owning space.
    pub space_id: SpaceId,
    /// See the state table.
    pub status: ScanStatus,
    /// Present while `processing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Present while `processing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The mode of the key that created it.
    pub livemode: bool,
    /// What was declared at creation.
    pub input: ScanInput,
    /// Present on the creation answer and while `awaiting_upload`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload: Option<UploadInstructions>,
    /// Present once the scan was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<Charge>,
    /// Present when `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ScanFailure>,
    /// Revision of the space's document that this scan wrote; present when `complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_revision: Option<i64>,
    /// Creation time.
    pub created_at: Timestamp,
    /// When it was started and charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it completed, failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Every change of state and stage, oldest first.
    pub timeline: Vec<TimelineEntry>,
}

/// How to upload the media of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UploadInstructions {
    /// `video` or `frames`.
    pub kind: crate::media::InputKind,
    /// Always `PUT`.
    #[schema(pattern = "^PUT$")]
    pub method: String,
    /// Where the video goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where photos go: `{index}` stands for the photo's index, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_template: Option<String>,
    /// Headers to send with the upload.
    pub headers: std::collections::BTreeMap<String, String>,
    /// Until when these instructions are good.
    pub expires_at: Timestamp,
}

/// What came of asking a scan to start. The same for the same scan, however often it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum StartOutcome {
    /// Charged and queued by this request.
    Started {
        /// What was charged.
        charge: Charge,
    },
    /// Charged and queued by an earlier request; nothing was charged again.
    AlreadyStarted {
        /// What was charged then.
        charge: Charge,
    },
    /// The scan was cancelled, or its 24 hours are over.
    Cancelled,
    /// The scan does not exist.
    NotFound,
    /// Some uploads are missing.
    UploadIncomplete {
        /// How many are missing.
        missing: u32,
    },
    /// As many scans of the account as may are queued or processing.
    ScansInProgress {
        /// How many that is.
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

/// What came of asking a scan to be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CancelOutcome {
    /// Cancelled, now or earlier.
    Cancelled,
    /// No longer awaiting its upload.
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
    fn terminal_states_have_no_way_out() {
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
