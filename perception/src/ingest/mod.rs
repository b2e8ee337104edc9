//! The first stage: reads the media once.
//!
//! It keeps frames, extracts the sound and describes every sample, so that later stages can tell
//! places apart.

mod files;
mod metrics;
mod photos;
mod select;
mod video;

use domain::document::{Frame, Interval, Medium, Run};
use domain::media::InputKind;
use serde::{Deserialize, Serialize};

use crate::signal::{Appearance, Doorway, Features};

pub use photos::{PhotoFile, photos};
pub use video::video;

/// Result of ingesting, identical for identical media.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ingested {
    /// Video or photos.
    pub kind: InputKind,
    /// Media of the scan.
    pub media: Vec<Medium>,
    /// Kept frames in order. Their storage keys are still empty.
    pub frames: Vec<Frame>,
    /// JPEG file of each kept frame, in the work folder.
    pub files: Vec<FrameFile>,
    /// Features of each kept frame, for place recognition.
    pub views: Vec<View>,
    /// Samples of the media in order of time.
    pub samples: Vec<Sample>,
    /// Name of the sound file (16 kHz mono WAV) in the work folder.
    pub audio: Option<String>,
    /// Share of samples that are too blurred to use.
    pub blurred: f64,
    /// Share of samples that are too dark or too bright to use.
    pub dark: f64,
    /// Intervals without a usable sample.
    pub uncovered: Vec<Interval>,
    /// Doorways that the camera of a video passed, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doorways: Vec<Doorway>,
    /// Number of frames with a view of their own that were dropped because there were too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thinned: usize,
    /// Run of the frame selection.
    pub run: Run,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Location of a kept frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameFile {
    /// Id of the frame.
    pub frame_id: String,
    /// Name of the JPEG file in the work folder.
    pub file: String,
}

/// Features of a kept frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Id of the frame.
    pub frame_id: String,
    /// Corners with descriptors.
    pub features: Features,
}

/// One moment of the media: about two per second of a video, or one photo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Time in milliseconds; absent for photos without a time.
    pub t_ms: Option<u64>,
    /// Number of the photo, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Detail, as the variance of the Laplacian.
    pub sharpness: f64,
    /// Perceived blur, 0 to 1.
    pub blur: f64,
    /// Mean lightness, 0 to 1.
    pub exposure: f64,
    /// True if the sample is sharp enough and neither too dark nor too bright.
    pub usable: bool,
    /// Colours, layout and edges.
    pub appearance: Appearance,
    /// Id of the kept frame that shows this view: the sample itself or the frame that it
    /// duplicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_frame: Option<String>,
    /// Reason why a photo was not kept: `blurred`, `dark` or `duplicate`. Absent for videos.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

impl Sample {
    /// Position on the axis of the document's intervals: milliseconds of a video, number of a
    /// photo.
    pub fn position(&self, kind: InputKind) -> u64 {
        match kind {
            InputKind::Video => self.t_ms.unwrap_or_default(),
            InputKind::Frames => self.ordinal.map(u64::from).unwrap_or_default(),
        }
    }
}

/// Returns the id of a kept frame by its number, starting at 1.
fn frame_id(number: usize) -> String {
    format!("frm_{number:05}")
}
