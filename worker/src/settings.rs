use serde::{Deserialize, Serialize};

/// How much one process does at once, by kind of work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Videos decoded at once; each is one ffmpeg.
    pub media_slots: usize,
    /// Batches looked at (or sounds listened to) at once; each keeps a core busy.
    pub vision_slots: usize,
    /// Documents fused, enriched or saved at once.
    pub fusion_slots: usize,
    /// Events sent at once; most of it is waiting.
    pub webhook_slots: usize,
    /// Short database steps at once.
    pub database_slots: usize,
    /// How long running work may finish when the process is asked to stop, in seconds.
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
