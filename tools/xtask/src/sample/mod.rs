//! `cargo xtask sample`: a narrated walk through a house that does not exist, as a video or as photos, and
//! everything that is true of it.
//!
//! The same options give the same bytes. What is drawn is decided by [`plan`], [`style`], [`furnish`] and
//! [`path`]; [`raster`] and [`frames`] draw it; [`observe`] writes down what can be seen.

mod build;
mod camera;
mod encode;
mod frames;
mod furnish;
mod furniture;
mod layout;
mod light;
mod math;
mod narration;
mod observe;
mod path;
mod patterns;
mod pictures;
mod plan;
mod random;
mod raster;
mod record;
mod scene;
mod shade;
mod shell;
mod signs;
mod style;
mod texture;
pub mod truth;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{
    setup::{Tools, say},
    system,
};
use frames::{SHUTTER, SLOW_SHUTTER, World};
use furnish::Furnished;
use plan::Plan;
use scene::Scene;

/// Options of `cargo xtask sample`.
#[derive(Debug, Clone, Args)]
pub struct Arguments {
    #[command(flatten)]
    walk: Walk,
    /// Folder for `video.mp4` (or `photo-000.jpg` …) and `truth.json`.
    #[arg(long)]
    out: PathBuf,
}

/// What a sample is made from.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct Walk {
    /// Another seed gives another house.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Length of the walk.
    #[arg(long, default_value_t = 60.0)]
    pub seconds: f32,
    /// Pictures a second.
    #[arg(long, default_value_t = 30)]
    pub fps: u32,
    /// Width in pixels, even.
    #[arg(long, default_value_t = 1280)]
    pub width: usize,
    /// Height in pixels, even.
    #[arg(long, default_value_t = 720)]
    pub height: usize,
    /// How many rooms; by default as many as the time allows for.
    #[arg(long)]
    pub rooms: Option<usize>,
    /// Ordered photos instead of a video.
    #[arg(long)]
    pub photos: bool,
    /// No narration.
    #[arg(long)]
    pub silent: bool,
    /// The same house in the evening: duller and warmer light, a slower shutter, another way through it.
    #[arg(long)]
    pub again: bool,
}

impl Default for Walk {
    /// The sample that the demo shows and the benches measure.
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
        }
    }
}

impl Walk {
    /// A short one for end-to-end tests: two rooms in fifteen seconds, large enough for signs to be read.
    pub fn for_tests() -> Self {
        Self { seconds: 15.0, fps: 10, width: 960, height: 540, rooms: Some(2), ..Self::default() }
    }

    fn room_count(&self) -> usize {
        self.rooms.unwrap_or_else(|| ((self.seconds / 12.0).round() as usize).clamp(2, 8))
    }

    fn check(&self) -> Result<()> {
        let even = |n: usize| n >= 16 && n.is_multiple_of(2);
        ensure!(even(self.width) && even(self.height), "width and height must be even and at least 16");
        ensure!((1..=240).contains(&self.fps), "fps must be 1 to 240");
        ensure!((1.0..=7200.0).contains(&self.seconds), "seconds must be 1 to 7200");
        ensure!((1..=20).contains(&self.room_count()), "rooms must be 1 to 20");
        Ok(())
    }

    /// A name that differs for different samples, also of different versions of this code.
    fn name(&self) -> String {
        let Self { seed, seconds, fps, width, height, photos, silent, again, .. } = self;
        let rooms = self.room_count();
        let kind = if *photos { "photos" } else { "video" };
        let sound = if *silent { "-silent" } else { "" };
        let again = if *again { "-again" } else { "" };
        format!(
            "{kind}-seed{seed}-{seconds}s-{rooms}rooms-{width}x{height}-{fps}fps{sound}{again}-r{REVISION}"
        )
    }
}

/// Far from the seeds that people choose, so that no walk goes the way of another's second walk.
const ANOTHER_WAY: u64 = 1 << 40;

/// Counts changes of what is drawn, or written about it, from the same options.
const REVISION: u32 = 4;

/// A finished sample.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Where it is.
    pub folder: PathBuf,
    /// The video, or the folder itself when it is photos: this is what is uploaded.
    pub video: PathBuf,
    /// The truth, which is not.
    pub truth: PathBuf,
}

/// The command.
///
/// # Errors
/// As [`make`].
pub fn run(arguments: &Arguments) -> Result<()> {
    let sample = make(&arguments.walk, &arguments.out)?;
    say("sample", &format!("{} and {}", sample.video.display(), sample.truth.display()));
    Ok(())
}

/// The sample of these options in the cache, made when it is not there.
///
/// # Errors
/// As [`make`].
pub fn cached(walk: &Walk, tools: &Tools) -> Result<Sample> {
    make(walk, &tools.cache_dir.join("samples").join(walk.name()))
}

/// Makes a sample in `folder`, unless it is there already.
///
/// # Errors
/// When the options make no sense, the folder cannot be written, or ffmpeg, espeak-ng or the font fails.
pub fn make(walk: &Walk, folder: &Path) -> Result<Sample> {
    walk.check()?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let video = if walk.photos { folder.to_owned() } else { folder.join("video.mp4") };
    let sample = Sample { folder: folder.to_owned(), video, truth: folder.join("truth.json") };
    // The stamp is written last, so that a broken-off sample is made again.
    let stamp = folder.join("made-from.txt");
    if sample.truth.is_file() && fs::read_to_string(&stamp).is_ok_and(|text| text == walk.name()) {
        return Ok(sample);
    }
    let _ = fs::remove_file(&stamp);
    let started = Instant::now();
    say("sample", &format!("rendering {}", walk.name()));
    let (world, furnished) = build_world(walk)?;
    record::record(walk, &world, &furnished, &sample.video, &sample.truth)?;
    fs::write(&stamp, walk.name())?;
    say("sample", &format!("rendered in {:.0} s", started.elapsed().as_secs_f32()));
    Ok(sample)
}

fn build_world(options: &Walk) -> Result<(World, Vec<Furnished>)> {
    let seed = options.seed;
    let lettering = signs::Lettering::load()?;
    let plan = Plan::draw(seed, options.room_count());
    let mut scene = Scene::default();
    scene.rooms.resize_with(plan.rooms.len(), Default::default);
    scene.add_thing("nothing", 0);
    let styles = style::dress(&plan, &mut scene, seed);
    shell::build(&plan, &styles, &mut scene, seed);
    let signs = signs::choose(&plan, seed);
    let furnished = furnish::furnish(&plan, &styles, &signs, &lettering, &mut scene, seed);
    if options.again {
        light::dusk(&mut scene);
    }
    let floors: Vec<_> = plan.rooms.iter().map(|room| room.floor).collect();
    light::bake(&mut scene, &floors, plan.rooms[0].height);
    scene.outline_things();
    let (way, shutter) =
        if options.again { (seed.wrapping_add(ANOTHER_WAY), SLOW_SHUTTER) } else { (seed, SHUTTER) };
    let walk = path::Walk::plan(&plan, &furnished, way, options.seconds);
    Ok((World { scene, plan, walk, size: (options.width, options.height), shutter }, furnished))
}

fn tool(name: &str) -> Result<PathBuf> {
    system::program(name).with_context(|| format!("{name} is missing: run `cargo xtask setup`"))
}
