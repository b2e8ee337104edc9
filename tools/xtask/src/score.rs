//! `cargo xtask score`: scores a Space Document against the ground truth of a sample.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use clap::Args;

use crate::system::{self, Profile};

/// Options of `cargo xtask score`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The Space Document, as JSON.
    #[arg(long)]
    document: PathBuf,
    /// The ground truth of the sample that was scanned.
    #[arg(long)]
    truth: PathBuf,
    /// Print one line of JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the programs cannot be built, or if a file cannot be read.
pub fn run(arguments: &Arguments) -> Result<()> {
    system::build_programs(Profile::Dev)?;
    let mut eval = Command::new(system::built_program(Profile::Dev, "eval")?);
    eval.arg("score").arg("--document").arg(&arguments.document).arg("--truth").arg(&arguments.truth);
    eval.args(arguments.json.then_some("--json"));
    ensure!(eval.status()?.success(), "scoring failed");
    Ok(())
}
