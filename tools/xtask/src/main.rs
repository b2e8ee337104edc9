//! `cargo xtask <command>`: one entry, one module a command.

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of Scan Service")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows the whole path once: sets up, builds, scans a video or photos.
    Demo(xtask::demo::Arguments),
    /// Sets up, then runs every check and every test.
    Test(xtask::test::Arguments),
    /// Measures, beside something to compare with.
    Bench(xtask::bench::Arguments),
    /// Holds the running service against openapi.json with Schemathesis.
    Schemathesis(xtask::contract::SchemathesisArguments),
    /// Generates a client from openapi.json and runs the whole path with it.
    Client(xtask::contract::ClientArguments),
    /// Installs what the service and its tests need, once.
    Setup(xtask::setup::Arguments),
    /// Renders a narrated walk through a house, with its truth.
    Sample(xtask::sample::Arguments),
    /// Renders walks and scores what the pipeline makes of them, field by field.
    Eval(xtask::eval::Arguments),
    /// Compares a Space Document with the truth of a sample.
    Score(xtask::score::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Demo(arguments) => xtask::demo::run(&arguments),
        Command::Test(arguments) => xtask::test::run(&arguments),
        Command::Bench(arguments) => xtask::bench::run(&arguments),
        Command::Schemathesis(arguments) => xtask::contract::schemathesis(&arguments),
        Command::Client(arguments) => xtask::contract::client(&arguments),
        Command::Setup(arguments) => xtask::setup::run(&arguments),
        Command::Sample(arguments) => xtask::sample::run(&arguments),
        Command::Eval(arguments) => xtask::eval::run(&arguments),
        Command::Score(arguments) => xtask::score::run(&arguments),
    }
}
