//! Settings of the stages.

use media::ffmpeg::FfmpegSettings;
use serde::{Deserialize, Serialize};

/// Settings of all stages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Sandbox and limits for decoding video.
    pub ffmpeg: FfmpegSettings,
    /// Choice of the frames that are kept.
    pub frames: FrameSettings,
    /// Division of the space into zones.
    pub zones: ZoneSettings,
    /// Models for text, speech and objects.
    pub models: crate::models::Settings,
}

/// Choice of the frames that are kept as evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FrameSettings {
    /// Maximum number of pictures per second that are decoded and examined.
    pub samples_per_second: f64,
    /// Maximum number of frames kept of one video, unless it is so long that `kept_per_minute`
    /// allows more.
    pub max_kept: usize,
    /// Number of frames that may be kept for each minute of a long video.
    pub kept_per_minute: usize,
    /// Overlap with the first picture of a view (share of the picture, 0 to 1) from which a picture
    /// shows the same view.
    pub same_view: f64,
    /// Overlap with a kept frame (share of the picture, 0 to 1) from which a picture is a duplicate
    /// of it.
    pub duplicate: f64,
    /// Longest time that one frame stands for a changing view, in seconds.
    pub interval_seconds: f64,
    /// Perceived blur (0 sharp to 1) up to which a picture is always usable. A more blurred picture
    /// is used only if the video is rarely sharper.
    pub max_blur: f64,
    /// Minimum lightness (0 to 1) of the brightest tenth of a picture. Darker pictures are not
    /// used. The brightest tenth counts because a night scene with lit windows is dark on average.
    pub min_brightest: f64,
    /// Maximum mean lightness (0 to 1). Brighter pictures are not used.
    pub max_exposure: f64,
    /// JPEG quality of kept frames, 1 to 100.
    pub jpeg_quality: u8,
    /// Length in pixels to which the longer side of a kept photo is reduced.
    pub photo_longest_side: u32,
}

impl Default for FrameSettings {
    fn default() -> FrameSettings {
        FrameSettings {
            samples_per_second: 5.0,
            max_kept: 600,
            kept_per_minute: 10,
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

/// Division of the space into zones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ZoneSettings {
    /// Minimum length of a part of the walk between two boundaries, in seconds.
    pub min_seconds: f64,
    /// Length of time before and after a moment, in seconds, whose appearance is compared to find
    /// boundaries.
    pub window_seconds: f64,
    /// Minimum difference in appearance (0 to 1) at a boundary between zones. A lower value cuts
    /// more often; neighbours that look alike are joined again.
    pub boundary: f64,
    /// Difference in appearance (0 to 1) at which two adjacent parts of the walk are one zone as likely
    /// as two, in a space of usual contrast.
    pub same_zone: f64,
    /// Number of matching image features from which two parts of the walk may be the same place.
    /// Fewer agree by chance.
    pub place_matches: usize,
}

impl Default for ZoneSettings {
    fn default() -> ZoneSettings {
        ZoneSettings {
            min_seconds: 2.5,
            window_seconds: 4.5,
            boundary: 0.12,
            same_zone: 0.16,
            place_matches: 12,
        }
    }
}
