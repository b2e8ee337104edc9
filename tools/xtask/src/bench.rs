//! `cargo xtask bench`: sets up, builds, and runs a measurement.

use std::process::Command;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};

use crate::{
    postgres, sample,
    setup::{self, Needs},
    system::{self, Profile},
};

/// Options of `cargo xtask bench`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// The API, beside the least that could do the same.
    Api {
        /// End with one JSON line.
        #[arg(long)]
        json: bool,
    },
    /// Questions of an hour's document, and searches over 10 000 spaces, on SQLite and on PostgreSQL.
    Ask {
        /// End with one JSON line.
        #[arg(long)]
        json: bool,
    },
    /// The five stages over the sample walk, beside plain decoding.
    Pipeline {
        /// End with one JSON line.
        #[arg(long)]
        json: bool,
    },
}

/// The command.
///
/// # Errors
/// When a step fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    match arguments.bench {
        Bench::Api { json } => api(json),
        Bench::Ask { json } => ask(json),
        Bench::Pipeline { json } => pipeline(json),
    }
}

fn api(json: bool) -> Result<()> {
    setup::ensure(Needs::DEMO)?;
    // What is measured beside the bare route is our code, so both are as fast as they can be.
    system::build_programs(Profile::Release)?;
    let bench = system::built(Profile::Release, "bench")?;
    finish(Command::new(bench).arg("api").args(json.then_some("--json")))
}

fn ask(json: bool) -> Result<()> {
    setup::ensure(Needs::TEST)?;
    // As in production: reading thousands of rows is our code, too.
    system::build_programs(Profile::Release)?;
    let folder = tempfile::tempdir()?;
    let postgres = postgres::start_temporary(folder.path(), None)?;
    finish(
        Command::new(system::built(Profile::Release, "bench")?)
            .arg("ask")
            .args(json.then_some("--json"))
            .env("SCAN_TEST_POSTGRES_URL", postgres.url()),
    )
}

fn pipeline(json: bool) -> Result<()> {
    let tools = setup::ensure(Needs::DEMO)?;
    system::build_programs(Profile::Dev)?;
    let walk = sample::Walk::default();
    let sample = sample::cached(&walk, &tools)?;
    finish(
        Command::new(system::built(Profile::Dev, "bench")?)
            .arg("pipeline")
            .arg("--video")
            .arg(&sample.video)
            .arg("--truth")
            .arg(&sample.truth)
            .args(["--seconds", &walk.seconds.to_string()])
            .args(json.then_some("--json")),
    )
}

fn finish(command: &mut Command) -> Result<()> {
    ensure!(command.status()?.success(), "the bench failed");
    Ok(())
}
