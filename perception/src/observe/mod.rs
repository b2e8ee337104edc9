//! The second stage: what models read and see in kept frames, and hear in the sound. Frames are looked at
//! in batches, which may run on several workers at once.

mod frames;
mod sound;
mod wav;

use domain::document::{BBox, NarrationSource, Run, Warning};
use serde::{Deserialize, Serialize};

use crate::models::endpoint::Usage;
use crate::signal::{Descriptor, Light};

pub use frames::{FrameFile, frames};
pub use sound::{sound, transcript};

/// What was found in a batch of frames.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedBatch {
    /// Each frame of the batch, in its order.
    pub frames: Vec<Seen>,
    /// What was run.
    pub runs: Vec<Run>,
    /// What could not be looked at.
    pub warnings: Vec<Warning>,
    /// What models behind an address used; never part of a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// What was found in one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The frame.
    pub frame_id: String,
    /// Lines of text.
    pub readings: Vec<ReadText>,
    /// Things.
    pub detections: Vec<SeenThing>,
    /// How light it is.
    pub light: Light,
    /// Its main colours by name, with the share each covers.
    pub colours: Vec<(String, f64)>,
    /// What the whole frame is like, where a model said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Descriptor>,
    /// The run that read the lines and saw the things, where it is not the packaged models'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_by: Option<String>,
}

/// A line of text in one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadText {
    /// As it was read.
    pub text: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Where.
    pub bbox: BBox,
    /// Height of the line in pixels of the frame.
    pub pixel_height: f64,
}

/// A thing in one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeenThing {
    /// Its class.
    pub label: String,
    /// 0 to 1, to be trusted differently for each class.
    pub score: f64,
    /// Where.
    pub bbox: BBox,
}

/// What was heard, or given by the client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sounds {
    /// In order of time.
    pub pieces: Vec<Spoken>,
    /// What was run.
    pub runs: Vec<Run>,
    /// What could not be listened to.
    pub warnings: Vec<Warning>,
    /// What models behind an address used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// A piece of speech.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spoken {
    /// Start in milliseconds.
    pub start_ms: u64,
    /// End in milliseconds.
    pub end_ms: u64,
    /// What was said.
    pub text: String,
    /// 0 to 1.
    pub confidence: f64,
    /// `client` or `transcribed`.
    pub source: NarrationSource,
    /// The run that heard it.
    pub run_id: String,
}

/// The packaged model's run, and the client's.
const SPEECH_RUN: &str = "run_speech";

/// Warnings of one kind only, however many batches say it.
fn warning(code: &str, message: impl Into<String>) -> Warning {
    Warning { code: code.to_owned(), message: message.into() }
}
