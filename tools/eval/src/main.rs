//! Evaluates the pipeline; `cargo xtask eval` and `cargo xtask score` set up what it needs and run
//! it.
#![allow(clippy::print_stdout, reason = "results go to the standard output")]

mod ablations;
mod answers;
mod baselines;
mod citations;
mod columns;
mod document_metrics;
mod edits;
mod injection;
mod media;
mod metrics;
mod natural_questions;
mod observation_cache;
mod other_renderer;
mod places;
mod questions;
mod reliability;
mod report;
mod rescan;
mod run;
mod scenes;
mod search;
mod speech;
mod walk;
mod walks;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use eval::score;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the pipeline over sample walks and photos of real places, and scores the documents.
    Run(run::Arguments),
    /// Runs the pipeline over walks and photos of another renderer, and scores the documents.
    Walks(walks::Arguments),
    /// Compares two walks through one place and scores the reported changes.
    Rescan(rescan::Arguments),
    /// Scores a Space Document against the ground truth of a sample.
    Score(ScoreArguments),
}

#[derive(Args)]
struct ScoreArguments {
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

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Walks(arguments) => walks::run(&arguments),
        Command::Rescan(arguments) => rescan::run(&arguments),
        Command::Score(arguments) => print_score(&arguments),
    }
}

fn print_score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let score = score::compare_files(&arguments.document, &arguments.truth)?;
    if arguments.json {
        println!("{}", serde_json::to_string(&score)?);
    } else {
        print!("{}", score::table(&score)?);
    }
    Ok(())
}
