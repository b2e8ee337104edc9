//! `cargo xtask eval`: renders sample walks, downloads photos of real places, runs the pipeline
//! over both, and scores the documents.

use std::{ops::RangeInclusive, path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use clap::Args;
use walkgen::WalkOptions;

use crate::{
    places, sample,
    setup::{self, Requirements},
    system::{self, Profile},
};

/// Frames per second of the rendered videos. The pipeline samples 5, so more would only take longer
/// to render.
const FPS: u32 = 10;

/// Options of `cargo xtask eval`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// First and last seed, for example `1..4`. Each house is scanned from a video and from photos.
    #[arg(long, value_parser = seeds, default_value = "1..4")]
    seeds: RangeInclusive<u64>,
    /// Length of each walk in seconds.
    #[arg(long, default_value_t = 48.0)]
    seconds: f32,
    /// Leave out the real places, whose photos are downloaded once.
    #[arg(long)]
    without_places: bool,
    /// Reuse the models' output that an earlier evaluation stored.
    #[arg(long)]
    reuse: bool,
    /// Also print the details behind the metrics.
    #[arg(long)]
    details: bool,
    /// Also write each document into this folder.
    #[arg(long)]
    documents: Option<PathBuf>,
    /// Print one line of JSON at the end.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a step fails. A metric outside its bound isn't an error; the table shows it.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Requirements { tests: false, weights_required: true })?;
    system::build_programs(Profile::Dev)?;
    let mut eval = Command::new(system::built_program(Profile::Dev, "eval")?);
    eval.arg("run");
    for seed in arguments.seeds.clone() {
        let walk = |photos: bool| WalkOptions {
            seed,
            seconds: arguments.seconds,
            fps: FPS,
            photos,
            ..WalkOptions::default()
        };
        for photos in [false, true] {
            eval.arg("--sample").arg(sample::cached(&walk(photos), &tools)?.folder);
        }
        // The same house on another day, with another camera.
        let first = walk(true);
        let second = WalkOptions { width: 960, height: 540, again: true, ..first.clone() };
        eval.arg("--again");
        eval.args([sample::cached(&first, &tools)?.folder, sample::cached(&second, &tools)?.folder]);
    }
    if !arguments.without_places {
        for folder in places::cached(&tools)? {
            eval.arg("--place").arg(folder);
        }
    }
    eval.args(arguments.reuse.then_some("--reuse"));
    eval.args(arguments.details.then_some("--details"));
    eval.args(arguments.json.then_some("--json"));
    if let Some(folder) = &arguments.documents {
        eval.arg("--documents").arg(folder);
    }
    ensure!(eval.status()?.success(), "the evaluation failed");
    Ok(())
}

/// Parses a range of seeds: `1..4` is 1, 2, 3 and 4; `7` is 7.
fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('=').parse::<u64>().map_err(|e| format!("{text}: {e}"));
    let range = number(first)?..=number(last)?;
    if range.is_empty() { Err(format!("the range {text} is empty")) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_single_seeds_and_ranges() {
        assert_eq!(seeds("1..4"), Ok(1..=4));
        assert_eq!(seeds("7"), Ok(7..=7));
        assert!(seeds("4..1").is_err() && seeds("a..b").is_err() && seeds("").is_err());
    }
}
