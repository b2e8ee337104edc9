//! The first stage: one pass over the media. Which frames are kept, the sound, and a small description of
//! every sample, from which later stages tell places apart.

mod files;
mod metrics;
mod photos;
mod select;
mod video;

use domain::document::{Frame, Interval, Medium, Run};
use domain::media::InputKind;
use serde::{Deserialize, Serialize};

use crate::signal::{Appearance, Features};

pub use photos::{PhotoFile, photos};
pub use video::video;

/// What ingesting found; the same for the same media.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ingested {
    /// Video or photos.
    pub kind: InputKind,
    /// What was measured at.
    pub media: Vec<Medium>,
    /// The kept frames in order; their storage keys are still empty.
    pub frames: Vec<Frame>,
    /// The JPEG file of each kept frame, in the work folder.
    pub files: Vec<FrameFile>,
    /// The features of each kept frame, to recognise places.
    pub views: Vec<View>,
    /// The metrics of the media over time.
    pub samples: Vec<Sample>,
    /// The sound as 16 kHz mono WAV, in the work folder.
    pub audio: Option<String>,
    /// Share of samples that were too blurred to use.
    pub blurred: f64,
    /// Share of samples that were too dark (or too bright) to use.
    pub dark: f64,
    /// Stretches that no usable sample covers.
    pub uncovered: Vec<Interval>,
    /// What was run.
    pub run: Run,
}

/// Where the picture of a kept frame is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameFile {
    /// The frame.
    pub frame_id: String,
    /// Name of its JPEG file in the work folder.
    pub file: String,
}

/// The features of a kept frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The frame.
    pub frame_id: String,
    /// Its corners.
    pub features: Features,
}

/// One moment of the media (about two a second of a video; each photo).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When, in milliseconds; absent for photos without a time.
    pub t_ms: Option<u64>,
    /// Which photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Variance of the Laplacian.
    pub sharpness: f64,
    /// Perceived blur, 0 to 1.
    pub blur: f64,
    /// Mean lightness, 0 to 1.
    pub exposure: f64,
    /// Whether it is sharp and light enough to tell anything from.
    pub usable: bool,
    /// Its metrics.
    pub appearance: Appearance,
    /// The kept frame that shows this view: itself, or the one it is a duplicate of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_frame: Option<String>,
    /// Why it was not kept itself: `blurred`, `dark`, `duplicate`. Only for photos.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

impl Sample {
    /// Its place on the axis of the document's intervals: milliseconds of a video, ordinal of a photo.
    pub fn position(&self, kind: InputKind) -> u64 {
        match kind {
            InputKind::Video => self.t_ms.unwrap_or_default(),
            InputKind::Frames => self.ordinal.map(u64::from).unwrap_or_default(),
        }
    }
}

/// The id of the kept frame with this number, from 1.
fn frame_id(number: usize) -> String {
    format!("frm_{number:05}")
}
