//! Renders narrated walks through generated houses, as a video or as photos, with their ground
//! truth.
//!
//! The same options give the same files, byte for byte. The modules are layers; each uses only
//! those above it:
//!
//! | module | content |
//! |---|---|
//! | `math`, `random` | vectors, and a random number generator whose results never change |
//! | `scene` | textured surfaces, the objects they belong to, and their baked light |
//! | `house` | floor plan, materials, furniture and signs, built into a scene |
//! | `path`, `narration` | the route of the camera, and what the narrator says |
//! | `render` | frames of the scene, drawn in software |
//! | `record` | the media files and the ground truth |
//!
//! [`truth`] is the format of the ground truth. `cargo xtask sample` runs [`render()`].

mod house;
mod math;
mod narration;
mod options;
mod path;
mod random;
mod record;
mod render;
mod scene;
pub mod truth;
mod walker;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use house::furnish::Furnished;
pub use options::WalkOptions;
use path::CameraPath;
use render::frames::{SHUTTER, SLOW_SHUTTER, World};

/// Added to the seed of an `again` walk, so that it never takes the route of another seed's walk.
const AGAIN_SEED_OFFSET: u64 = 1 << 40;

/// Files of a rendered sample.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Folder that holds the files.
    pub folder: PathBuf,
    /// Files to upload: the video, or the folder of the photos.
    pub media: PathBuf,
    /// The ground truth ([`truth::Truth`] as JSON), which is never uploaded.
    pub truth: PathBuf,
}

impl Sample {
    fn at(options: &WalkOptions, folder: &Path) -> Self {
        let media = if options.photos { folder.to_owned() } else { folder.join("video.mp4") };
        Self { folder: folder.to_owned(), media, truth: folder.join("truth.json") }
    }

    /// Returns the sample in `folder` if it is complete and was rendered with these options.
    pub fn find(options: &WalkOptions, folder: &Path) -> Option<Self> {
        let sample = Self::at(options, folder);
        let same_options = fs::read_to_string(stamp(folder)).is_ok_and(|text| text == options.name());
        (sample.truth.is_file() && same_options).then_some(sample)
    }
}

/// Path of the file that is written last: it marks a sample as complete and names its options.
fn stamp(folder: &Path) -> PathBuf {
    folder.join("made-from.txt")
}

/// Renders a sample into `folder`, over an earlier one if there is any.
///
/// # Errors
/// Returns an error if an option is out of range, if the folder cannot be written, or if ffmpeg,
/// espeak-ng or the DejaVu font is missing or fails.
pub fn render(options: &WalkOptions, folder: &Path) -> Result<Sample> {
    options.validate()?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let _ = fs::remove_file(stamp(folder));
    let sample = Sample::at(options, folder);
    let (world, furnished) = build_world(options)?;
    record::record(options, &world, &furnished, &sample.media, &sample.truth)?;
    fs::write(stamp(folder), options.name())?;
    Ok(sample)
}

fn build_world(options: &WalkOptions) -> Result<(World, Vec<Furnished>)> {
    let house = house::build(options)?;
    let (route_seed, shutter) = if options.again {
        (options.seed.wrapping_add(AGAIN_SEED_OFFSET), SLOW_SHUTTER)
    } else {
        (options.seed, SHUTTER)
    };
    let path = CameraPath::plan(&house.plan, &house.furnished, route_seed, options.seconds);
    let size = (options.width, options.height);
    Ok((World { scene: house.scene, plan: house.plan, path, size, shutter }, house.furnished))
}
