//! What one medium may cost, and where the programs are.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Limits and programs of the media sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FfmpegSettings {
    /// The ffmpeg program: a name looked for on the `PATH`, or a path.
    pub ffmpeg: PathBuf,
    /// The ffprobe program, likewise.
    pub ffprobe: PathBuf,
    /// Longest video that is taken, in seconds.
    pub max_duration_seconds: u64,
    /// Most pixels on a side.
    pub max_side: u32,
    /// Most pixels in a picture.
    pub max_pixels: u32,
    /// Address space a child may have, in MiB.
    pub memory_mb: u64,
    /// Time a probe may take.
    pub probe_seconds: u64,
    /// Time a decode may take, whatever the length…
    pub decode_base_seconds: u64,
    /// …and for each second of media besides.
    pub decode_seconds_per_media_second: f64,
    /// Decoder threads.
    pub threads: u32,
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
        }
    }
}
