//! `cargo xtask schemathesis`: a third-party tool tests the running service against `openapi.json`.

use std::process::Command;

use anyhow::{Result, ensure};
use clap::Args;

use crate::{
    setup::{
        self, Requirements,
        python::{self, Program},
    },
    system::{self, Profile},
};

const SCHEMATHESIS: Program = Program { package: "schemathesis", version: "4.32.5", file: "schemathesis" };

/// Options of `cargo xtask schemathesis`.
#[derive(Debug, Args)]
pub struct SchemathesisArguments {
    /// Maximum number of test cases for each operation and phase.
    #[arg(long, default_value_t = 60)]
    examples: u32,
    /// Seed of an earlier run, to repeat it.
    #[arg(long)]
    seed: Option<String>,
    /// Further arguments of Schemathesis, for example `--include-operation-id createScan`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<String>,
}

/// Operations that end the session. Each is tested in a separate run, because the others need the
/// session.
const SESSION_ENDING_OPERATIONS: [&str; 2] = ["logOut", "deleteAccount"];

/// Runs every check of Schemathesis, in every phase.
///
/// # Errors
/// Returns an error if a step fails or a response violates the contract.
pub fn schemathesis(arguments: &SchemathesisArguments) -> Result<()> {
    let program = python::ensure(SCHEMATHESIS)?;
    let folder = system::workspace().join("tests/contract");
    // Schemathesis writes a cache into its current folder.
    let work = tempfile::tempdir()?;
    let without = SESSION_ENDING_OPERATIONS.map(|name| ["--exclude-operation-id", name]).concat();
    let each_alone = SESSION_ENDING_OPERATIONS.map(|name| vec!["--include-operation-id", name]);
    for filter in std::iter::once(without).chain(each_alone) {
        let mut command = service_command()?;
        command.current_dir(work.path()).env("SCAN_HOOKS", folder.join("hooks.py"));
        command.arg(&program).arg("--config-file").arg(folder.join("schemathesis.toml")).arg("run");
        command.arg(system::workspace().join("openapi.json")).args(filter);
        command.args(["--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"]);
        command.args(["--continue-on-failure", "--suppress-health-check", "all"]);
        command.args(["--max-examples", &arguments.examples.to_string()]);
        if let Some(seed) = &arguments.seed {
            command.args(["--seed", seed]);
        }
        finish(command.args(&arguments.more), "schemathesis")?;
    }
    Ok(())
}

/// Returns a command that starts the service and runs its arguments against it.
fn service_command() -> Result<Command> {
    setup::ensure(Requirements::DEMO)?;
    system::build_programs(Profile::Dev)?;
    let mut command = Command::new(system::built_program(Profile::Dev, "contract")?);
    command.arg("--");
    Ok(command)
}

fn finish(command: &mut Command, tool: &str) -> Result<()> {
    let status = command.status()?;
    ensure!(status.success(), "{tool} found violations of the contract, or failed ({status})");
    Ok(())
}
