//! Benchmarks, each with a baseline that is measured at the same time. `cargo xtask bench` sets
//! up what they need and runs them.
#![allow(clippy::print_stdout, reason = "results go to the standard output")]

mod api;
mod ask;
mod documents;
mod load;
mod once;
mod outbox;
mod pipeline;
mod worker_memory;

use clap::{Parser, Subcommand};

/// The allocator of `scan`, so that the baselines are as fast as possible.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures the API and a minimal server for the same requests.
    Api(api::Arguments),
    /// Measures questions about an hour's document, and searches over many spaces.
    Ask(ask::Arguments),
    /// Serves a bare route over a database; `api` starts it as a process.
    Bare(api::BareArguments),
    /// Measures scans per second on the production-like stack, and bare workflows.
    Load(load::Arguments),
    /// Measures the outbox, and the handler of its entries alone.
    Outbox(outbox::Arguments),
    /// Measures the five stages over one walk, and plain decoding.
    Pipeline(pipeline::Arguments),
    /// Runs the stages over one file; `pipeline` starts it as a process.
    Once(once::Arguments),
    /// Measures how much memory a worker keeps of each activity.
    WorkerMemory(worker_memory::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Api(arguments) => api::run(&arguments),
        Command::Ask(arguments) => ask::run(&arguments),
        Command::Bare(arguments) => api::bare(&arguments),
        Command::Load(arguments) => load::run(&arguments),
        Command::Outbox(arguments) => outbox::run(&arguments),
        Command::Pipeline(arguments) => pipeline::run(&arguments),
        Command::Once(arguments) => once::run(&arguments),
        Command::WorkerMemory(arguments) => worker_memory::run(&arguments),
    }
}

/// Prints the results as JSON, on one line or indented.
fn print_results(results: &serde_json::Value, in_one_line: bool) -> anyhow::Result<()> {
    if in_one_line {
        println!("{results}");
    } else {
        println!("{}", serde_json::to_string_pretty(results)?);
    }
    Ok(())
}
