//! `cargo xtask <command>`: the entry point of all developer commands.

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of Scan Service")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the service and scans a sample walk, or your video or photos.
    Demo(xtask::demo::Arguments),
    /// Runs every check and every test.
    Test(xtask::test::Arguments),
    /// Runs a benchmark and its baseline.
    Bench(xtask::bench::Arguments),
    /// Runs a production-like stack on loopback until it is interrupted.
    Stack(xtask::chaos::StackArguments),
    /// Kills, stops and cuts off parts of that stack while clients work on it, and checks the result.
    Chaos(xtask::chaos::ChaosArguments),
    /// Tests the running service against openapi.json with Schemathesis.
    Schemathesis(xtask::contract::SchemathesisArguments),
    /// Generates the client libraries from openapi.json, or builds their packages.
    Clients(xtask::clients::Arguments),
    /// Installs the tools and the model weights that the service and its tests need.
    Setup(xtask::setup::Arguments),
    /// Renders a narrated walk through a generated house, with its ground truth.
    Sample(xtask::sample::Arguments),
    /// Runs the pipeline over sample walks and photos of real places, and scores the documents.
    Eval(xtask::eval::Arguments),
    /// Builds the release archive: binary, engine, models, licences, completions and manual pages.
    Dist(xtask::dist::Arguments),
    /// Writes the software bill of materials of the binary (CycloneDX).
    Sbom(xtask::sbom::Arguments),
    /// Scores a Space Document against the ground truth of a sample.
    Score(xtask::score::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Demo(arguments) => xtask::demo::run(&arguments),
        Command::Test(arguments) => xtask::test::run(&arguments),
        Command::Bench(arguments) => xtask::bench::run(&arguments),
        Command::Stack(arguments) => xtask::chaos::stack(&arguments),
        Command::Chaos(arguments) => xtask::chaos::chaos(&arguments),
        Command::Schemathesis(arguments) => xtask::contract::schemathesis(&arguments),
        Command::Clients(arguments) => xtask::clients::run(&arguments),
        Command::Setup(arguments) => xtask::setup::run(&arguments),
        Command::Sample(arguments) => xtask::sample::run(&arguments),
        Command::Eval(arguments) => xtask::eval::run(&arguments),
        Command::Dist(arguments) => xtask::dist::run(&arguments),
        Command::Sbom(arguments) => xtask::sbom::run(&arguments),
        Command::Score(arguments) => xtask::score::run(&arguments),
    }
}
