//! `cargo xtask bench`: sets up, builds, and runs a benchmark.

mod compare;

use std::process::Command;

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};
use temporary_postgres::{Durability, Postgres};
use walkgen::WalkOptions;

use crate::{
    chaos, sample,
    setup::{self, Requirements},
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
    /// Measures the API and a minimal server for the same requests.
    Api {
        /// Print one line of JSON at the end.
        #[arg(long)]
        json: bool,
    },
    /// Measures questions about an hour's document, and searches over 10 000 spaces on SQLite and
    /// PostgreSQL.
    Ask {
        /// Print one line of JSON at the end.
        #[arg(long)]
        json: bool,
    },
    /// Runs a benchmark of another revision and of this tree in turn, and prints the ratio of each figure.
    Compare(compare::Arguments),
    /// Measures scans per second on the production-like stack, beside bare workflows on its Temporal server.
    /// Without models also what others notice of a busy account; with them, how much a second worker helps.
    Load {
        /// Print one line of JSON at the end.
        #[arg(long)]
        json: bool,
        /// Run with all models.
        #[arg(long)]
        models: bool,
    },
    /// Measures the mail that one process sends from the outbox, and the handler alone, on SQLite and
    /// PostgreSQL.
    Outbox {
        /// Print one line of JSON at the end.
        #[arg(long)]
        json: bool,
    },
    /// Measures the five stages over the sample walk, and plain decoding.
    Pipeline {
        /// Run the models with onnxruntime instead of rten.
        #[arg(long)]
        onnxruntime: bool,
        /// Print one line of JSON at the end.
        #[arg(long)]
        json: bool,
    },
    /// Measures how much memory a worker keeps of each activity, over 10 000 of each kind.
    WorkerMemory {
        /// Print one line of JSON at the end.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a step fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.bench {
        &Bench::Api { json } => api(json),
        &Bench::Ask { json } => with_postgres("ask", json),
        Bench::Compare(arguments) => compare::run(arguments),
        &Bench::Load { json, models } => load(json, models),
        &Bench::Outbox { json } => with_postgres("outbox", json),
        &Bench::Pipeline { onnxruntime, json } => pipeline(onnxruntime, json),
        &Bench::WorkerMemory { json } => worker_memory(json),
    }
}

fn api(json: bool) -> Result<()> {
    setup::ensure(Requirements::DEMO)?;
    // The ratios compare our code with a bare route, so both are optimized.
    let mut bench = built_bench(Profile::Release)?;
    finish(bench.arg("api").args(json.then_some("--json")))
}

/// Runs a benchmark that measures SQLite and PostgreSQL.
fn with_postgres(name: &str, json: bool) -> Result<()> {
    setup::ensure(Requirements::TEST)?;
    // These spend their time in our own code, so it is optimized as in production.
    let mut bench = built_bench(Profile::Release)?;
    let folder = tempfile::tempdir()?;
    let postgres = Postgres::start(folder.path(), None, Durability::None)?;
    finish(bench.arg(name).args(json.then_some("--json")).env("SCAN_TEST_POSTGRES_URL", postgres.url()))
}

fn load(json: bool, models: bool) -> Result<()> {
    let tools = setup::ensure(Requirements::TEST)?;
    let mut bench = built_bench(Profile::Release)?;
    let walk = sample::cached(&WalkOptions::default(), &tools)?;
    bench.arg("load").args(chaos::program_arguments(&tools)?).arg("--video").arg(&walk.media);
    finish(bench.args(models.then_some("--models")).args(json.then_some("--json")))
}

fn pipeline(onnxruntime: bool, json: bool) -> Result<()> {
    let tools = setup::ensure(Requirements { onnxruntime, ..Requirements::DEMO })?;
    let mut bench = built_bench(Profile::Dev)?;
    let walk = WalkOptions::default();
    let sample = sample::cached(&walk, &tools)?;
    bench.arg("pipeline").arg("--video").arg(&sample.media).arg("--truth").arg(&sample.truth);
    bench.args(["--seconds", &walk.seconds.to_string()]);
    bench.args(onnxruntime.then_some("--onnxruntime"));
    finish(bench.args(json.then_some("--json")))
}

fn worker_memory(json: bool) -> Result<()> {
    setup::ensure(Requirements::DEMO)?;
    let mut bench = built_bench(Profile::Dev)?;
    finish(bench.arg("worker-memory").args(json.then_some("--json")))
}

/// Builds the programs and returns a command that runs `bench`.
fn built_bench(profile: Profile) -> Result<Command> {
    system::build_programs(profile)?;
    Ok(Command::new(system::built_program(profile, "bench")?))
}

fn finish(command: &mut Command) -> Result<()> {
    ensure!(command.status()?.success(), "the benchmark failed");
    Ok(())
}
