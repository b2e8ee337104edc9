//! `cargo xtask demo`: sets everything up, builds the service, and scans a video or photos with it.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};
use clap::Args;
use walkgen::WalkOptions;

use crate::{
    sample,
    setup::{self, Requirements},
    system::{self, Profile},
};

/// Options of `cargo xtask demo`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A video, photos, or a folder of photos. By default, a sample walk.
    media: Vec<PathBuf>,
    /// Leave the service running until it is interrupted.
    #[arg(long)]
    keep: bool,
    /// Print one line of JSON at the end.
    #[arg(long)]
    json: bool,
    /// Folder for the document and its frames.
    #[arg(long, default_value = "scan-result")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a step fails. The message names the step and what to do.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Requirements::DEMO)?;
    system::build_demo()?;
    let mut demo = Command::new(system::built_program(Profile::Dev, "demo")?);
    if arguments.media.is_empty() {
        let sample = sample::cached(&WalkOptions::for_demo(), &tools)?;
        demo.arg(&sample.media).arg("--truth").arg(&sample.truth);
    } else {
        demo.args(&arguments.media);
    }
    demo.arg("--data").arg(tools.data_dir.join("demo")).arg("--out").arg(&arguments.out);
    demo.args(arguments.keep.then_some("--keep")).args(arguments.json.then_some("--json"));
    let status = demo.status().context("the demo could not be started")?;
    ensure!(status.success(), "the demo failed");
    Ok(())
}
