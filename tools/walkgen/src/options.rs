//! Options of a sample walk.

use anyhow::{Result, ensure};
use clap::Args;

/// Version of the renderer. Increase it when the same options give another sample.
const REVISION: u32 = 4;

/// Seconds of walking for each room, when the number of rooms isn't given.
const SECONDS_PER_ROOM: f32 = 12.0;

/// Options of a sample walk. The same options give the same files, byte for byte.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct WalkOptions {
    /// Seed of the house; another seed gives another house.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Length of the walk in seconds.
    #[arg(long, default_value_t = 60.0)]
    pub seconds: f32,
    /// Frames per second of the video.
    #[arg(long, default_value_t = 30)]
    pub fps: u32,
    /// Width of the frames in pixels, even.
    #[arg(long, default_value_t = 1280)]
    pub width: usize,
    /// Height of the frames in pixels, even.
    #[arg(long, default_value_t = 720)]
    pub height: usize,
    /// Number of rooms; by default, one for every 12 seconds (2 to 8).
    #[arg(long)]
    pub rooms: Option<usize>,
    /// Render ordered photos instead of a video.
    #[arg(long)]
    pub photos: bool,
    /// Leave out the narration.
    #[arg(long)]
    pub silent: bool,
    /// Walk through the same house in the evening: dimmer and warmer light, a slower shutter,
    /// another route.
    #[arg(long)]
    pub again: bool,
    /// Give every room the same pale walls, without patterns or tiles.
    #[arg(long)]
    pub pale: bool,
}

impl Default for WalkOptions {
    /// The sample that the benchmarks measure.
    fn default() -> Self {
        Self {
            seed: 1,
            seconds: 60.0,
            fps: 30,
            width: 1280,
            height: 720,
            rooms: None,
            photos: false,
            silent: false,
            again: false,
            pale: false,
        }
    }
}

impl WalkOptions {
    /// A short walk for end-to-end tests: two rooms in 15 seconds, large enough for signs to be
    /// read.
    pub fn for_tests() -> Self {
        Self { seconds: 15.0, fps: 10, width: 960, height: 540, rooms: Some(2), ..Self::default() }
    }

    /// The sample of the demo: three rooms at an ordinary pace, with a third of the frames of a camera, so
    /// that it is rendered in some seconds.
    pub fn for_demo() -> Self {
        Self { seconds: 36.0, fps: 10, rooms: Some(3), ..Self::default() }
    }

    pub(crate) fn room_count(&self) -> usize {
        self.rooms.unwrap_or_else(|| ((self.seconds / SECONDS_PER_ROOM).round() as usize).clamp(2, 8))
    }

    /// Checks that every option is in its range.
    ///
    /// # Errors
    /// Returns an error that names the option that is out of range.
    pub fn validate(&self) -> Result<()> {
        let even = |n: usize| n >= 16 && n.is_multiple_of(2);
        ensure!(even(self.width) && even(self.height), "width and height must be even and at least 16");
        ensure!((1..=240).contains(&self.fps), "fps must be 1 to 240");
        ensure!((1.0..=7200.0).contains(&self.seconds), "seconds must be 1 to 7200");
        ensure!((1..=20).contains(&self.room_count()), "rooms must be 1 to 20");
        Ok(())
    }

    /// Returns a name for the sample. Different options, and different revisions of this crate,
    /// give different names.
    pub fn name(&self) -> String {
        let Self { seed, seconds, fps, width, height, photos, silent, again, pale, .. } = self;
        let rooms = self.room_count();
        let kind = if *photos { "photos" } else { "video" };
        let sound = if *silent { "-silent" } else { "" };
        let again = if *again { "-again" } else { "" };
        let pale = if *pale { "-pale" } else { "" };
        format!(
            "{kind}-seed{seed}-{seconds}s-{rooms}rooms-{width}x{height}-{fps}fps{sound}{again}{pale}-r{REVISION}"
        )
    }
}
