//! `cargo xtask eval`: renders walks from any seeds, fetches photos of real places, runs the pipeline over them, and
//! scores it.

use std::{ops::RangeInclusive, path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use clap::Args;

use crate::{
    places,
    sample::{self, Walk},
    setup::{self, Needs},
    system::{self, Profile},
};

/// Options of `cargo xtask eval`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Seeds of the walks, first and last: `1..4`; each is walked as a video and as photos.
    #[arg(long, value_parser = seeds, default_value = "1..4")]
    seeds: RangeInclusive<u64>,
    /// Length of each walk.
    #[arg(long, default_value_t = 48.0)]
    seconds: f32,
    /// Leave out the real places, whose photos have to be fetched once.
    #[arg(long)]
    without_places: bool,
    /// Take what models saw in an earlier evaluation, where it is stored.
    #[arg(long)]
    reuse: bool,
    /// What lies behind the figures.
    #[arg(long)]
    details: bool,
    /// Also write each document into this folder.
    #[arg(long)]
    documents: Option<PathBuf>,
    /// End with one JSON line.
    #[arg(long)]
    json: bool,
}

/// The command.
///
/// # Errors
/// When a step fails. A missed bound is no error: it stands in the table.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Needs { tests: false, weights_required: true })?;
    system::build_programs(Profile::Dev)?;
    let mut command = Command::new(system::built(Profile::Dev, "eval")?);
    for seed in arguments.seeds.clone() {
        for photos in [false, true] {
            // Pictures are looked at five times a second: ten are as good as thirty, and drawn sooner.
            let walk = Walk { seed, seconds: arguments.seconds, fps: 10, photos, ..Walk::default() };
            command.arg("--sample").arg(sample::cached(&walk, &tools)?.folder);
        }
        // The same house looked at again, by another camera on another day.
        let first = Walk { seed, seconds: arguments.seconds, fps: 10, photos: true, ..Walk::default() };
        let second = Walk { width: 960, height: 540, again: true, ..first.clone() };
        command.arg("--again");
        command.args([sample::cached(&first, &tools)?.folder, sample::cached(&second, &tools)?.folder]);
    }
    if !arguments.without_places {
        for folder in places::cached(&tools)? {
            command.arg("--place").arg(folder);
        }
    }
    command.args(arguments.reuse.then_some("--reuse"));
    command.args(arguments.details.then_some("--details"));
    command.args(arguments.json.then_some("--json"));
    if let Some(folder) = &arguments.documents {
        command.arg("--documents").arg(folder);
    }
    let status = command.status()?;
    ensure!(status.success(), "the evaluation failed");
    Ok(())
}

/// `1..4` is 1, 2, 3 and 4; `7` is 7.
fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('=').parse::<u64>().map_err(|e| format!("{text}: {e}"));
    let range = number(first)?..=number(last)?;
    if range.is_empty() { Err(format!("{text} holds no seed")) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_given_as_one_or_as_first_and_last() {
        assert_eq!(seeds("1..4"), Ok(1..=4));
        assert_eq!(seeds("7"), Ok(7..=7));
        assert!(seeds("4..1").is_err() && seeds("a..b").is_err() && seeds("").is_err());
    }
}
