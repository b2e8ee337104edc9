//! Results of models for a frame or a sound.
//!
//! Packaged models, endpoints and the observe stage share these types, and the observe stage stores
//! them as JSON for the stages after it. The names of serialized fields therefore never change.

use domain::document::{BBox, NarrationSource};
use serde::{Deserialize, Serialize};

/// Label of a detected person. Persons are no objects of a place: they only raise privacy flags.
pub(crate) const PERSON: &str = "person";

/// A line of text that a model read in a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextReading {
    /// The text, words separated by single spaces; never empty.
    pub text: String,
    /// Mean probability of the characters, 0 to 1.
    pub confidence: f64,
    /// Upright bounding box of the line.
    pub bbox: BBox,
    /// Height of the line, from below its descenders to above its capitals, in pixels of the frame.
    pub pixel_height: f64,
}

/// An object that a detector found in a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detection {
    /// Class of the object, one of the run's `can_know`, or `person`.
    pub label: String,
    /// Score of the detector, 0 to 1. It is not a probability. Its reliability differs between
    /// classes.
    pub score: f64,
    /// Bounding box of the object.
    pub bbox: BBox,
}

/// The texts and objects that an endpoint found in one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameFindings {
    /// Lines of text.
    pub readings: Vec<TextReading>,
    /// Objects.
    pub detections: Vec<Detection>,
}

/// A sentence, or a part of one, that was spoken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TranscriptSegment {
    /// Start in milliseconds of the sound.
    pub start_ms: u64,
    /// End in milliseconds; not before the start.
    pub end_ms: u64,
    /// The spoken words.
    pub text: String,
    /// Mean probability of the tokens, 0 to 1.
    pub confidence: f64,
    /// `client` or `transcribed`.
    pub source: NarrationSource,
    /// Id of the run that produced the segment.
    pub run_id: String,
}

impl TranscriptSegment {
    /// Builds a segment that a model transcribed in the given run.
    pub fn transcribed(
        start_ms: u64,
        end_ms: u64,
        text: String,
        confidence: f64,
        run_id: &str,
    ) -> TranscriptSegment {
        TranscriptSegment {
            start_ms,
            end_ms,
            text,
            confidence,
            source: NarrationSource::Transcribed,
            run_id: run_id.to_owned(),
        }
    }
}
