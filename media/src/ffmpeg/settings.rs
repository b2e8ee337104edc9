//! Settings of the media sandbox.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Programs and limits of the media sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FfmpegSettings {
    /// The ffmpeg program: a path, or a name that is looked up in `PATH`.
    pub ffmpeg: PathBuf,
    /// The ffprobe program: a path, or a name that is looked up in `PATH`.
    pub ffprobe: PathBuf,
    /// Maximum duration of a video, in seconds.
    pub max_duration_seconds: u64,
    /// Maximum width and height of a frame, in pixels.
    pub max_side: u32,
    /// Maximum number of pixels in a frame.
    pub max_pixels: u32,
    /// Maximum address space of a child process, in MiB.
    pub memory_mb: u64,
    /// Maximum time of a probe, in seconds.
    pub probe_seconds: u64,
    /// Fixed part of the maximum time of a decode, in seconds.
    pub decode_base_seconds: u64,
    /// Part of the maximum time of a decode that grows with the media: seconds for each second of
    /// media.
    pub decode_seconds_per_media_second: f64,
    /// Number of decoder threads.
    pub threads: u32,
    /// Whether a worker refuses to start on a kernel that cannot keep a decoder from files, network and
    /// processes (Landlock and seccomp). Without it, the worker logs a warning.
    pub require_isolation: bool,
}

impl Default for FfmpegSettings {
    fn default() -> FfmpegSettings {
        FfmpegSettings {
            ffmpeg: PathBuf::from("ffmpeg"),
            ffprobe: PathBuf::from("ffprobe"),
            max_duration_seconds: 3 * 3600 + 900,
            max_side: 8192,
            max_pixels: 40_000_000,
            memory_mb: 2048,
            probe_seconds: 30,
            decode_base_seconds: 120,
            decode_seconds_per_media_second: 5.0,
            threads: 2,
            require_isolation: false,
        }
    }
}
