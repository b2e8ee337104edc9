//! Settings of the workers.

use serde::{Deserialize, Serialize};

/// Number of activities that one process runs at a time, by kind of work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Maximum number of videos decoded at a time. Each runs one ffmpeg.
    pub media_slots: usize,
    /// Maximum number of batches of frames, or of sounds, processed at a time. Each keeps a core
    /// busy.
    pub vision_slots: usize,
    /// Maximum number of documents fused, enriched or saved at a time.
    pub fusion_slots: usize,
    /// Maximum number of events sent at a time. Most of the time is waiting for receivers.
    pub webhook_slots: usize,
    /// Maximum number of short database transactions at a time.
    pub database_slots: usize,
    /// Time that running activities have to finish after SIGINT or SIGTERM, in seconds.
    pub grace_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            media_slots: cores.div_ceil(2),
            vision_slots: cores,
            fusion_slots: 2,
            webhook_slots: 200,
            database_slots: 50,
            grace_seconds: 20,
        }
    }
}
