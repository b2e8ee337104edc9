//! `cargo xtask schemathesis` and `cargo xtask client`: the contract, held against the running service by
//! tools that know nothing of us but `openapi.json`.

use std::process::Command;

use anyhow::{Result, ensure};
use clap::Args;

use crate::{
    setup::{
        self, Needs,
        python::{self, Program},
    },
    system::{self, Profile},
};

const SCHEMATHESIS: Program = Program { package: "schemathesis", version: "4.32.5", file: "schemathesis" };
const GENERATOR: Program =
    Program { package: "openapi-python-client", version: "0.29.1", file: "openapi-python-client" };

/// Options of `cargo xtask schemathesis`.
#[derive(Debug, Args)]
pub struct SchemathesisArguments {
    /// Most cases of each phase for each operation.
    #[arg(long, default_value_t = 60)]
    examples: u32,
    /// Begin where an earlier run began.
    #[arg(long)]
    seed: Option<String>,
    /// What Schemathesis takes besides: `--include-operation-id createScan`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<String>,
}

/// Options of `cargo xtask client`.
#[derive(Debug, Args)]
pub struct ClientArguments {}

/// What ends the session that the other operations need: each has a run and a session of its own.
const ENDS_THE_SESSION: [&str; 2] = ["logOut", "deleteAccount"];

/// Every check of Schemathesis, in every phase.
///
/// # Errors
/// When a step fails, or an answer is not of the contract.
pub fn schemathesis(arguments: &SchemathesisArguments) -> Result<()> {
    let program = python::ensure(SCHEMATHESIS)?;
    let folder = system::workspace().join("tests/contract");
    // What it keeps between runs is kept out of the repository.
    let work = tempfile::tempdir()?;
    let the_others = ENDS_THE_SESSION.map(|name| ["--exclude-operation-id", name]).concat();
    let each_alone = ENDS_THE_SESSION.map(|name| vec!["--include-operation-id", name]);
    for filter in std::iter::once(the_others).chain(each_alone) {
        let mut line = against_the_service()?;
        line.current_dir(work.path()).env("SCAN_HOOKS", folder.join("hooks.py"));
        line.arg(&program).arg("--config-file").arg(folder.join("schemathesis.toml")).arg("run");
        line.arg(system::workspace().join("openapi.json")).args(filter);
        line.args(["--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"]);
        line.args(["--continue-on-failure", "--suppress-health-check", "all"]);
        line.args(["--max-examples", &arguments.examples.to_string()]);
        if let Some(seed) = &arguments.seed {
            line.args(["--seed", seed]);
        }
        finish(line.args(&arguments.more), "schemathesis")?;
    }
    Ok(())
}

/// A client that is generated now, and used as it comes.
///
/// # Errors
/// When a step fails.
pub fn client(_: &ClientArguments) -> Result<()> {
    let generator = python::ensure(GENERATOR)?;
    let folder = system::workspace().join("tests/contract");
    let generated = tempfile::tempdir()?;
    let mut generate = system::command(&generator);
    generate.arg("generate").arg("--path").arg(system::workspace().join("openapi.json"));
    generate.arg("--config").arg(folder.join("client.yaml"));
    generate.args(["--meta", "none", "--output-path"]).arg(generated.path().join("scan_client"));
    system::output_of(&mut generate)?;
    let mut line = against_the_service()?;
    // The generator brings everything that what it generates needs.
    line.arg(generator.with_file_name("python")).arg(folder.join("flow.py"));
    line.env("PYTHONPATH", generated.path());
    finish(&mut line, "the client")
}

/// A command that runs its arguments against the service.
fn against_the_service() -> Result<Command> {
    setup::ensure(Needs::DEMO)?;
    system::build_programs(Profile::Dev)?;
    let mut line = Command::new(system::built(Profile::Dev, "contract")?);
    line.arg("--");
    Ok(line)
}

fn finish(line: &mut Command, what: &str) -> Result<()> {
    let status = line.status()?;
    ensure!(status.success(), "{what}: not as the contract says");
    Ok(())
}
