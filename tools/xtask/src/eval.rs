//! `cargo xtask eval`: renders sample walks, downloads photos of real places and a recording of
//! speech, runs the pipeline over them and over scenes of another renderer, and scores the documents.

use std::{ops::RangeInclusive, path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use clap::Args;
use walkgen::WalkOptions;

use crate::{
    places, sample,
    setup::{self, Requirements, Tools},
    speech,
    system::{self, Profile},
};

/// Frames per second of the rendered videos. The pipeline samples 5, so more would only take longer
/// to render.
const FPS: u32 = 10;
/// Manifest of the scenes of another renderer, in the workspace.
const SCENES: &str = "tools/eval/data/scenes.toml";

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
    /// Evaluate only the scenes of another renderer, without rendered walks, real places and human
    /// speech.
    #[arg(long)]
    only_scenes: bool,
    /// Evaluate the held scenes of another renderer instead of those for development. Nothing may be
    /// chosen after looking at them.
    #[arg(long)]
    held: bool,
    /// Reuse the models' output that an earlier evaluation stored.
    #[arg(long)]
    reuse: bool,
    /// Also print the details behind the metrics.
    #[arg(long)]
    details: bool,
    /// Also write each document into this folder.
    #[arg(long)]
    documents: Option<PathBuf>,
    /// Run the models with onnxruntime instead of rten.
    #[arg(long)]
    onnxruntime: bool,
    /// Print one line of JSON at the end.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a step fails. A metric outside its bound isn't an error; the table shows it.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Requirements {
        tests: false,
        weights_required: true,
        onnxruntime: arguments.onnxruntime,
    })?;
    system::build_programs(Profile::Dev)?;
    let mut eval = Command::new(system::built_program(Profile::Dev, "eval")?);
    eval.arg("run").arg("--scenes").arg(system::workspace().join(SCENES));
    eval.args(arguments.held.then_some("--part=held"));
    if !arguments.only_scenes {
        add_own(arguments, &tools, &mut eval)?;
    }
    eval.args(arguments.reuse.then_some("--reuse"));
    eval.args(arguments.details.then_some("--details"));
    eval.args(arguments.onnxruntime.then_some("--onnxruntime"));
    eval.args(arguments.json.then_some("--json"));
    if let Some(folder) = &arguments.documents {
        eval.arg("--documents").arg(folder);
    }
    ensure!(eval.status()?.success(), "the evaluation failed");
    Ok(())
}

/// Adds rendered walks, real places and human speech.
fn add_own(arguments: &Arguments, tools: &Tools, eval: &mut Command) -> Result<()> {
    for seed in arguments.seeds.clone() {
        let walk = |photos: bool| WalkOptions {
            seed,
            seconds: arguments.seconds,
            fps: FPS,
            photos,
            ..WalkOptions::default()
        };
        for photos in [false, true] {
            eval.arg("--sample").arg(sample::cached(&walk(photos), tools)?.folder);
        }
        // The same house on another day, with another camera.
        let first = walk(true);
        let second = WalkOptions { width: 960, height: 540, again: true, ..first.clone() };
        eval.arg("--again");
        eval.args([sample::cached(&first, tools)?.folder, sample::cached(&second, tools)?.folder]);
        let pale = WalkOptions { pale: true, ..first };
        eval.arg("--pale").arg(sample::cached(&pale, tools)?.folder);
    }
    if !arguments.without_places {
        for folder in places::cached(tools)? {
            eval.arg("--place").arg(folder);
        }
    }
    eval.arg("--speech").arg(speech::cached(tools)?);
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
