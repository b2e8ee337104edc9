//! The activities of the five stages. Media never pass through inputs and outputs: activities read
//! and write object storage at the keys of `domain::layout`, and return counts and hashes.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use domain::{EventId, ScanId};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of a stage that processes the whole scan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StageInput {
    /// The scan.
    pub scan_id: ScanId,
}

/// Output of `ingest`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IngestOutput {
    /// Number of frames kept.
    pub frames: u32,
    /// Number of batches of frames to observe in parallel.
    pub batches: u32,
    /// Whether there is sound to transcribe.
    pub listen: bool,
    /// Duration of the video, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// Input of `observe_frames`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObserveInput {
    /// The scan.
    pub scan_id: ScanId,
    /// Index of the batch, starting at 0.
    pub batch: u32,
    /// Number of batches of the scan.
    pub batches: u32,
}

/// Output of `observe_frames`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObserveOutput {
    /// Number of frames in the batch.
    pub frames: u32,
    /// Number of lines of text that were read.
    pub readings: u32,
}

/// Output of `listen`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListenOutput {
    /// Number of segments of speech.
    pub segments: u32,
}

/// Input of `fuse`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FuseInput {
    /// The scan.
    pub scan_id: ScanId,
    /// Number of batches that were observed.
    pub batches: u32,
}

/// Output of `fuse`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FuseOutput {
    /// Number of zones.
    pub zones: u32,
    /// Number of texts.
    pub texts: u32,
}

/// Output of `enrich`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnrichOutput {
    /// SHA-256 of the document, hex.
    pub sha256: String,
    /// Number of claims in the document.
    pub claims: u32,
}

/// Output of `save`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SaveOutput {
    /// Revision of the space's document.
    pub revision: i64,
    /// The event `scan.completed` to deliver.
    pub event_id: EventId,
}

/// Marker of the stage activities.
#[derive(Debug)]
pub struct Stages;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Stages {
    /// Decodes the media, keeps sharp and new frames, and extracts the sound.
    #[activity(name = "ingest")]
    pub fn ingest(_input: StageInput) -> Result<IngestOutput, ActivityError> {
        unimplemented!()
    }

    /// Observes one batch of frames: text, objects, light, colours.
    #[activity(name = "observe_frames")]
    pub fn observe_frames(_input: ObserveInput) -> Result<ObserveOutput, ActivityError> {
        unimplemented!()
    }

    /// Transcribes the sound. Not called if the request contained a transcript.
    #[activity(name = "listen")]
    pub fn listen(_input: StageInput) -> Result<ListenOutput, ActivityError> {
        unimplemented!()
    }

    /// Fuses the observations into zones, texts and objects.
    #[activity(name = "fuse")]
    pub fn fuse(_input: FuseInput) -> Result<FuseOutput, ActivityError> {
        unimplemented!()
    }

    /// Adds attributes, relations, summary and quality, and writes the document.
    #[activity(name = "enrich")]
    pub fn enrich(_input: StageInput) -> Result<EnrichOutput, ActivityError> {
        unimplemented!()
    }

    /// Records the document, the status `complete` and the event `scan.completed` in one
    /// transaction.
    #[activity(name = "save")]
    pub fn save(_input: StageInput) -> Result<SaveOutput, ActivityError> {
        unimplemented!()
    }
}

pub use stages::{Enrich, Fuse, Ingest, Listen, ObserveFrames, Save};
