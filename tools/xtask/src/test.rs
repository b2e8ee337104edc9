//! `cargo xtask test`: sets up, then runs every check and every test.

use anyhow::{Context, Result};
use clap::Args;
use walkgen::WalkOptions;

use crate::{
    postgres, sample, server,
    setup::{self, Requirements},
    system,
};

/// Options of `cargo xtask test`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Arguments of `cargo test`, for example `--package ledger` or a part of a test's name. With
    /// them, the checks are skipped.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    only: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a check or a test fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Requirements::TEST)?;
    if arguments.only.is_empty() {
        run_checks()?;
    }
    // End-to-end tests start these programs. Building all targets together gives tests and programs
    // the same features, so that every dependency is built once.
    system::build(&["--workspace", "--all-targets"])?;
    let walk = sample::cached(&WalkOptions::for_tests(), &tools)?;
    let folder = tempfile::tempdir()?;
    let postgres = postgres::start_temporary(folder.path(), None)?;
    let versitygw = tools.versitygw.context("the S3 server is missing")?;
    let storage = server::start_storage(&versitygw, folder.path())?;
    let stripe_mock = tools.stripe_mock.context("stripe-mock is missing")?;
    let stripe = server::start_stripe(&stripe_mock, folder.path())?;
    let verifiers = tools.verifiers.context("the webhook verifiers are missing")?;
    let variables = [
        ("SCAN_TEST_VERIFIERS", verifiers.display().to_string()),
        ("SCAN_TEST_STRIPE_MOCK", stripe.endpoint().to_owned()),
        ("SCAN_TEST_S3_ENDPOINT", storage.endpoint().to_owned()),
        ("SCAN_TEST_POSTGRES_URL", postgres.url().to_owned()),
        ("SCAN_TEST_WALK", walk.folder.display().to_string()),
    ];
    let mut test = vec!["test", "--workspace", "--no-fail-fast"];
    test.extend(arguments.only.iter().map(String::as_str));
    system::cargo_with_env(&test, &variables)
}

fn run_checks() -> Result<()> {
    system::cargo(&["fmt", "--all", "--", "--check"])?;
    system::cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}
