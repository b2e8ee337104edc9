//! What the stages may be told.

use media::ffmpeg::FfmpegSettings;
use serde::{Deserialize, Serialize};

/// Settings of all stages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The sandbox for video.
    pub ffmpeg: FfmpegSettings,
    /// Which frames are kept.
    pub frames: FrameSettings,
    /// How zones are told apart.
    pub zones: ZoneSettings,
    /// The models.
    pub models: crate::models::Settings,
}

/// Which frames are kept as evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FrameSettings {
    /// Most pictures a second that are looked at.
    pub samples_per_second: f64,
    /// Most frames kept of one video.
    pub max_kept: usize,
    /// A view that shares at least this much of its picture with the last one is the same view.
    pub same_view: f64,
    /// A view that shares at least this much with a kept one is a duplicate of it.
    pub duplicate: f64,
    /// While the view changes at all, a frame is kept at least this often.
    pub interval_seconds: f64,
    /// Perceived blur (0 sharp to 1) up to which a frame is always used; above it only where the video is not
    /// usually sharper.
    pub max_blur: f64,
    /// Lightness (0 to 1) of its brightest tenth, below which a frame is too dark to use: a night with lit
    /// windows is dark on average and shows something all the same.
    pub min_brightest: f64,
    /// Mean lightness above which a frame is too bright to use.
    pub max_exposure: f64,
    /// JPEG quality of kept frames.
    pub jpeg_quality: u8,
    /// The longer side of a kept photo is reduced to this.
    pub photo_longest_side: u32,
}

impl Default for FrameSettings {
    fn default() -> FrameSettings {
        FrameSettings {
            samples_per_second: 5.0,
            max_kept: 600,
            same_view: 0.55,
            duplicate: 0.80,
            interval_seconds: 4.0,
            max_blur: 0.36,
            min_brightest: 0.10,
            max_exposure: 0.97,
            jpeg_quality: 85,
            photo_longest_side: 1600,
        }
    }
}

/// How zones are told apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ZoneSettings {
    /// A stretch shorter than this is no zone of its own.
    pub min_seconds: f64,
    /// Half the width of the window over which the look before and after a moment is compared.
    pub window_seconds: f64,
    /// Difference of look (0 to 1) from which a moment may be a boundary; too many are joined again.
    pub boundary: f64,
    /// Difference of look below which two stretches are the same zone.
    pub same_zone: f64,
    /// Matching features that make two stretches the same place.
    pub place_matches: usize,
}

impl Default for ZoneSettings {
    fn default() -> ZoneSettings {
        ZoneSettings {
            min_seconds: 2.5,
            window_seconds: 4.5,
            boundary: 0.12,
            same_zone: 0.16,
            place_matches: 18,
        }
    }
}
