//! Media of a scan, and the frames that are kept as evidence.

use serde::{Deserialize, Serialize};

use super::{BBox, Evidence, KeptBecause, MediumKind};

/// One medium of the scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Medium {
    /// `med_video`, or `med_photo_<ordinal>`.
    pub id: String,
    /// `video` or `photo`.
    #[schema(value_type = String)]
    pub kind: MediumKind,
    /// Index of the photo, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Width in pixels, after rotation.
    pub width: u32,
    /// Height in pixels, after rotation.
    pub height: u32,
    /// Duration of the video, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Frames per second of the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Whether it has an audio track.
    pub has_audio: bool,
    /// Signed URL of a video that is still kept, valid for one hour. Only in responses, never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A frame that is kept as evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Frame {
    /// `frm_<number in order, 5 digits>`.
    pub id: String,
    /// The medium, an id of `media[]`.
    pub media_id: String,
    /// Time in the video in milliseconds, or the photo's declared time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_ms: Option<u64>,
    /// Index of the photo, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Width of the stored picture, in pixels.
    pub width: u32,
    /// Height of the stored picture, in pixels.
    pub height: u32,
    /// Variance of the Laplacian of the grayscale picture. Higher is sharper.
    pub sharpness: f64,
    /// Mean luma, 0 (black) to 1 (white).
    pub exposure: f64,
    /// Perceptual hash, 16 hex digits.
    pub hash: String,
    /// Reason why it was kept: `first`, `new_view`, `sharper`, `interval` or `photo`.
    #[schema(value_type = String)]
    pub kept_because: KeptBecause,
    /// The zone it shows, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// Storage key of the picture. Responses carry a signed `url` beside it.
    pub key: String,
    /// Signed URL of the picture, valid for one hour. Only in responses, never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Frame {
    /// Builds evidence from the whole frame, or from a box in it.
    pub fn evidence(&self, bbox: Option<BBox>, score: f64) -> Evidence {
        Evidence {
            media_id: self.media_id.clone(),
            frame_id: Some(self.id.clone()),
            t_ms: self.t_ms,
            ordinal: self.ordinal,
            bbox,
            narration_id: None,
            score,
        }
    }
}

/// A stretch of the media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Interval {
    /// Start: milliseconds of the video, or the ordinal of the first photo.
    pub start: u64,
    /// End: milliseconds (exclusive), or the ordinal of the last photo (inclusive).
    pub end: u64,
}
