//! `cargo xtask stack` and `cargo xtask chaos` set up and start this program.
#![allow(clippy::print_stdout, reason = "results go to the standard output")]

use std::process::ExitCode;

use chaos::{
    run,
    stack::{Options, Programs, Stack},
};
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the production-like stack until it is interrupted.
    Stack(StackArguments),
    /// Runs clients and faults on the stack, and checks the result.
    Run(run::Arguments),
}

#[derive(Args)]
struct StackArguments {
    #[command(flatten)]
    programs: Programs,
    /// Print the addresses as one line of JSON.
    #[arg(long)]
    json: bool,
    /// Run without models, which take memory and time.
    #[arg(long)]
    without_models: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    // The main thread runs this future itself, so the processes of the stack live as long as it.
    let result = match Arguments::parse().command {
        Command::Stack(arguments) => run_stack(arguments).await,
        Command::Run(arguments) => run_chaos(&arguments).await,
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("chaos: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Fails if the checks found a violation, or missed one that was made on purpose.
async fn run_chaos(arguments: &run::Arguments) -> anyhow::Result<ExitCode> {
    let report = run::run(arguments).await?;
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        println!("{}", serde_json::to_string_pretty(&report)?);
    }
    Ok(if report.is_as_expected() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn run_stack(arguments: StackArguments) -> anyhow::Result<ExitCode> {
    let settings = if arguments.without_models { chaos::without_models() } else { Vec::new() };
    let options = Options { settings, ..Options::default() };
    let stack = Stack::start(&arguments.programs, &options, None).await?;
    let description = stack.description();
    if arguments.json {
        println!("{description}");
    } else {
        println!("{}", serde_json::to_string_pretty(&description)?);
        println!("Ctrl-C stops everything and deletes the data.");
    }
    tokio::signal::ctrl_c().await?;
    Ok(ExitCode::SUCCESS)
}
