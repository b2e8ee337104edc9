//! The second stage: reads text and detects objects in kept frames, and transcribes the sound.
//!
//! Frames are observed in batches, which may run on several workers in parallel.

mod frames;
mod parallel;
mod sound;
mod wav;

use domain::document::{Run, Warning};
use serde::{Deserialize, Serialize};

use crate::models::endpoint::Usage;
pub use crate::observation::{Detection, TextReading, TranscriptSegment};
use crate::signal::{Descriptor, Light};

pub use frames::{FrameFile, frames};
pub use sound::{client_transcript, transcribe};

/// Observations of a batch of frames.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedBatch {
    /// One observation per frame, in the order of the batch.
    pub frames: Vec<FrameObservation>,
    /// Runs of the models that were used.
    pub runs: Vec<Run>,
    /// Warnings about models that were absent or failed.
    pub warnings: Vec<Warning>,
    /// Tokens and cost of endpoint requests; never part of a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// Results of the models and image statistics for one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameObservation {
    /// Id of the frame.
    pub frame_id: String,
    /// Lines of text.
    pub readings: Vec<TextReading>,
    /// Objects.
    pub detections: Vec<Detection>,
    /// Furniture that regions of the frame show, each with the region and the probability of the class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub furniture: Vec<Detection>,
    /// Lightness of the frame.
    pub light: Light,
    /// Main colours by name, each with the share of the frame that it covers.
    pub colours: Vec<(String, f64)>,
    /// Global descriptor of the frame, where the detector computes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Descriptor>,
    /// Id of the run that produced the readings and detections; absent for the packaged models.
    #[serde(default, rename = "seen_by", skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// The speech of a scan, transcribed by models or supplied by the client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Segments in order of time.
    #[serde(rename = "pieces")]
    pub segments: Vec<TranscriptSegment>,
    /// Runs of the models that were used.
    pub runs: Vec<Run>,
    /// Warnings about sound that could not be transcribed.
    pub warnings: Vec<Warning>,
    /// Tokens and cost of endpoint requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// Id of the speech run of the packaged model, and of a transcript supplied by the client.
const SPEECH_RUN: &str = "run_speech";

/// Builds a warning with this code.
fn warning(code: &str, message: impl Into<String>) -> Warning {
    Warning { code: code.to_owned(), message: message.into() }
}
