//! `cargo xtask demo`: sets everything up, builds the service, and shows the whole path once.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{
    sample,
    setup::{self, Needs},
    system::{self, Profile},
};

/// Options of `cargo xtask demo`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A video, photos, or a folder of photos; the sample walkthrough without it.
    media: Vec<PathBuf>,
    /// Leave the service running until it is interrupted.
    #[arg(long)]
    keep: bool,
    /// End with one JSON line.
    #[arg(long)]
    json: bool,
    /// Folder for the document and its frames.
    #[arg(long, default_value = "scan-result")]
    out: PathBuf,
}

/// The command.
///
/// # Errors
/// When a step fails; the message says which, and what to do.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Needs::DEMO)?;
    system::build_programs(Profile::Dev)?;
    let mut demo = Command::new(system::built(Profile::Dev, "demo")?);
    if arguments.media.is_empty() {
        let sample = sample::cached(&sample::Walk::default(), &tools)?;
        demo.arg(&sample.video).arg("--truth").arg(&sample.truth);
    } else {
        demo.args(&arguments.media);
    }
    demo.arg("--data").arg(tools.data_dir.join("demo")).arg("--out").arg(&arguments.out);
    demo.args(arguments.keep.then_some("--keep")).args(arguments.json.then_some("--json"));
    finish(demo, Path::new("demo"))
}

fn finish(mut command: Command, what: &Path) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {}", what.display()))?;
    if !status.success() {
        bail!("{} failed", what.display());
    }
    Ok(())
}
