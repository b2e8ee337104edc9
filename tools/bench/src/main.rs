//! Measurements, each beside something to compare with in the same minute. `cargo xtask bench` sets up
//! what they need and runs them; every one ends with one JSON line under `--json`.
#![allow(clippy::print_stdout, reason = "figures are what a bench is for")]

mod api;
mod ask;
mod once;
mod pipeline;
mod places;

use clap::{Parser, Subcommand};

/// That of `scan`, so that what stands beside it is as fast as it can be.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The API, beside the least that could do the same.
    Api(api::Arguments),
    /// Questions of an hour's document, and searches over many spaces.
    Ask(ask::Arguments),
    /// A bare route over a database, in a process of its own; `api` uses it.
    Bare(api::BareArguments),
    /// The five stages over one walk, beside plain decoding.
    Pipeline(pipeline::Arguments),
    /// One run over one file, in a process of its own; `pipeline` uses it.
    Once(once::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Api(arguments) => api::run(&arguments),
        Command::Ask(arguments) => ask::run(&arguments),
        Command::Bare(arguments) => api::bare(&arguments),
        Command::Pipeline(arguments) => pipeline::run(&arguments),
        Command::Once(arguments) => once::run(&arguments),
    }
}

/// Says what was measured: for programs in one line, for people in several.
fn tell(measured: &serde_json::Value, in_one_line: bool) -> anyhow::Result<()> {
    if in_one_line {
        println!("{measured}");
    } else {
        println!("{}", serde_json::to_string_pretty(measured)?);
    }
    Ok(())
}
