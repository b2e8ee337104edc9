//! The five stages. Media never pass through here: activities read and write object storage at the
//! keys of `domain::layout`, and pass counts and hashes.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::{EventId, ScanId};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of a stage that works on the whole scan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StageInput {
    /// The scan.
    pub scan_id: ScanId,
}

/// What `ingest` kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IngestOutput {
    /// Frames kept.
    pub frames: u32,
    /// Batches of frames to observe, in parallel.
    pub batches: u32,
    /// Whether there is sound to listen to.
    pub listen: bool,
    /// Length of a video, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// Input of `observe_frames`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObserveInput {
    /// The scan.
    pub scan_id: ScanId,
    /// Which batch, starting at 0.
    pub batch: u32,
    /// Of how many.
    pub batches: u32,
}

/// What one batch showed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObserveOutput {
    /// Frames looked at.
    pub frames: u32,
    /// Lines of text read.
    pub readings: u32,
}

/// What was heard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListenOutput {
    /// Pieces of speech.
    pub segments: u32,
}

/// Input of `fuse`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FuseInput {
    /// The scan.
    pub scan_id: ScanId,
    /// Batches of frames that were looked at.
    pub batches: u32,
}

/// What `fuse` joined.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FuseOutput {
    /// Zones found.
    pub zones: u32,
    /// Texts found.
    pub texts: u32,
}

/// What `enrich` wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnrichOutput {
    /// SHA-256 of the document, hex.
    pub sha256: String,
    /// Claims in it.
    pub claims: u32,
}

/// What `save` recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SaveOutput {
    /// Revision of the space's document.
    pub revision: i64,
    /// The event `scan.completed`, to be delivered.
    pub event_id: EventId,
}

/// Marker of the stage activities.
#[derive(Debug)]
pub struct Stages;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Stages {
    /// Decodes the media, keeps sharp and new frames, and takes the sound out.
    #[activity(name = "ingest")]
    pub fn ingest(_input: StageInput) -> Result<IngestOutput, ActivityError> {
        unimplemented!()
    }

    /// Looks at one batch of frames: text, objects, light, colours.
    #[activity(name = "observe_frames")]
    pub fn observe_frames(_input: ObserveInput) -> Result<ObserveOutput, ActivityError> {
        unimplemented!()
    }

    /// Listens to the sound, where no transcript was sent along.
    #[activity(name = "listen")]
    pub fn listen(_input: StageInput) -> Result<ListenOutput, ActivityError> {
        unimplemented!()
    }

    /// Joins observations into zones, texts and things.
    #[activity(name = "fuse")]
    pub fn fuse(_input: FuseInput) -> Result<FuseOutput, ActivityError> {
        unimplemented!()
    }

    /// Attributes, relations, summary, quality: the document.
    #[activity(name = "enrich")]
    pub fn enrich(_input: StageInput) -> Result<EnrichOutput, ActivityError> {
        unimplemented!()
    }

    /// Document, status `complete` and event `scan.completed` in one transaction.
    #[activity(name = "save")]
    pub fn save(_input: StageInput) -> Result<SaveOutput, ActivityError> {
        unimplemented!()
    }
}

pub use stages::{Enrich, Fuse, Ingest, Listen, ObserveFrames, Save};
