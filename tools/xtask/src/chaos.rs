//! `cargo xtask stack` and `cargo xtask chaos`: the production-like stack, and faults while clients work
//! on it.

use std::{ffi::OsString, process::Command};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{
    setup::{self, Requirements, Tools},
    system::{self, Profile},
};

/// Options of `cargo xtask stack`.
#[derive(Debug, Args)]
pub struct StackArguments {
    /// Print the addresses and process ids as one line of JSON.
    #[arg(long)]
    json: bool,
    /// Run without models, which take memory and time.
    #[arg(long)]
    without_models: bool,
}

/// Options of `cargo xtask chaos`.
#[derive(Debug, Args)]
pub struct ChaosArguments {
    /// Seed of the plan of faults and of the clients.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of processes to kill.
    #[arg(long, default_value_t = 20)]
    kills: usize,
    /// Print one line of JSON at the end.
    #[arg(long)]
    json: bool,
    /// Further arguments of the program, for example `--outage-seconds 30` or `--sabotage limit`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<String>,
}

/// Runs the production-like stack until it is interrupted.
///
/// # Errors
/// Returns an error if a step fails.
pub fn stack(arguments: &StackArguments) -> Result<()> {
    let tools = setup::ensure(Requirements::TEST)?;
    system::build_programs(Profile::Dev)?;
    let mut command = program(&tools, "stack")?;
    command.args(arguments.json.then_some("--json"));
    command.args(arguments.without_models.then_some("--without-models"));
    finish(&mut command)
}

/// Runs clients and faults against the stack, and checks the result.
///
/// # Errors
/// Returns an error if a step fails or a check finds a violation.
pub fn chaos(arguments: &ChaosArguments) -> Result<()> {
    let tools = setup::ensure(Requirements::TEST)?;
    system::build_programs(Profile::Dev)?;
    let mut command = program(&tools, "run")?;
    command.args(["--seed", &arguments.seed.to_string(), "--kills", &arguments.kills.to_string()]);
    command.args(arguments.json.then_some("--json"));
    finish(command.args(&arguments.more))
}

/// Runs the short version that is part of `cargo xtask test`.
///
/// # Errors
/// Returns an error if a check finds a violation.
pub(crate) fn short_run(tools: &Tools) -> Result<()> {
    let mut command = program(tools, "run")?;
    finish(command.args(["--seed", "1", "--kills", "2", "--short", "--json"]))
}

/// Returns a command that runs the program `chaos` with the installed tools.
fn program(tools: &Tools, subcommand: &str) -> Result<Command> {
    let mut command = Command::new(system::built_program(Profile::Dev, "chaos")?);
    command.arg(subcommand).args(program_arguments(tools)?);
    Ok(command)
}

/// Returns the arguments that name the programs of the stack.
pub(crate) fn program_arguments(tools: &Tools) -> Result<Vec<OsString>> {
    let temporal = tools.temporal.as_ref().context("the Temporal server is missing")?;
    let versitygw = tools.versitygw.as_ref().context("the S3 server is missing")?;
    let mut programs = vec![
        ("--temporal-server", &temporal.server),
        ("--temporal-sql-tool", &temporal.sql_tool),
        ("--temporal-ui", &temporal.ui),
        ("--versitygw", versitygw),
    ];
    programs.extend(tools.faketime.as_ref().map(|library| ("--faketime", library)));
    Ok(programs.into_iter().flat_map(|(name, path)| [OsString::from(name), OsString::from(path)]).collect())
}

fn finish(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    ensure!(status.success(), "the program ended with {status}");
    Ok(())
}
