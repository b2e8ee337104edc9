//! `cargo xtask sample`: renders a sample walk.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Result;
use clap::Args;
use walkgen::{Sample, WalkOptions};

use crate::setup::{Tools, print_step};

/// Options of `cargo xtask sample`.
#[derive(Debug, Clone, Args)]
pub struct Arguments {
    #[command(flatten)]
    walk: WalkOptions,
    /// Folder for `video.mp4` (or `photo-000.jpg` …) and `truth.json`.
    #[arg(long)]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the sample cannot be rendered.
pub fn run(arguments: &Arguments) -> Result<()> {
    let sample = find_or_render(&arguments.walk, &arguments.out)?;
    print_step("sample", &format!("{} and {}", sample.media.display(), sample.truth.display()));
    Ok(())
}

/// Returns the sample of these options from the cache, and renders it first if it is missing.
pub(crate) fn cached(walk: &WalkOptions, tools: &Tools) -> Result<Sample> {
    find_or_render(walk, &tools.cache_dir.join("samples").join(walk.name()))
}

fn find_or_render(walk: &WalkOptions, folder: &Path) -> Result<Sample> {
    walk.validate()?;
    if let Some(sample) = Sample::find(walk, folder) {
        return Ok(sample);
    }
    let started = Instant::now();
    print_step("sample", &format!("rendering {}", walk.name()));
    let sample = walkgen::render(walk, folder)?;
    print_step("sample", &format!("rendered in {:.0} s", started.elapsed().as_secs_f32()));
    Ok(sample)
}
