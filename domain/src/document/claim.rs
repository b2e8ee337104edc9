//! Claims and their evidence.

use serde::{Deserialize, Serialize};

/// How a claim is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Seen in pixels.
    Observed,
    /// Read from text in the picture.
    Read,
    /// Spoken in the audio or the transcript.
    Spoken,
    /// Inferred from other claims.
    Inferred,
    /// Stated by the user.
    User,
}

/// A box in a frame. All values are fractions of the frame's width or height, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BBox {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl BBox {
    /// Returns the intersection over union with another box of the same frame, 0 to 1.
    pub fn iou(&self, other: &BBox) -> f64 {
        let w = (self.x + self.w).min(other.x + other.w) - self.x.max(other.x);
        let h = (self.y + self.h).min(other.y + other.h) - self.y.max(other.y);
        if w <= 0.0 || h <= 0.0 {
            return 0.0;
        }
        w * h / (self.w * self.h + other.w * other.h - w * h)
    }
}

/// A place where a claim can be checked: a frame, a box in a frame, or a narration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Evidence {
    /// The medium, an id of `media[]`.
    pub media_id: String,
    /// The frame, an id of `frames[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<String>,
    /// Time in the video, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_ms: Option<u64>,
    /// Index of the photo, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// The box in the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<BBox>,
    /// The narration, an id of `narration[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narration_id: Option<String>,
    /// How well this evidence supports the claim, 0 to 1.
    pub score: f64,
}

/// One statement about the space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Claim {
    /// Id within the document, prefix `clm_`.
    pub id: String,
    /// The claimed value.
    pub value: String,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// How the claim is known.
    pub basis: Basis,
    /// Places where it can be checked; never empty.
    pub evidence: Vec<Evidence>,
    /// The run that made the claim, an id of `runs[]`.
    pub run_id: String,
}
