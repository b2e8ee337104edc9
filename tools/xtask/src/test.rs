//! `cargo xtask test`: the same set-up as the demo, then every check and every test.

use anyhow::{Context, Result};
use clap::Args;

use crate::{
    postgres, sample, server,
    setup::{self, Needs},
    system,
};

/// Options of `cargo xtask test`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only what `cargo test` takes: a part of a test's name, `--package …`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    only: Vec<String>,
}

/// The command.
///
/// # Errors
/// When a check or a test fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = setup::ensure(Needs::TEST)?;
    let everything = arguments.only.is_empty();
    if everything {
        system::cargo(&["fmt", "--all", "--", "--check"])?;
        system::cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    }
    // The programs that end-to-end tests start, with the features that the tests are built with, so that
    // dependencies are built once.
    system::build(&["--workspace", "--all-targets"])?;
    let walk = sample::cached(&sample::Walk::for_tests(), &tools)?;
    let folder = tempfile::tempdir()?;
    let postgres = postgres::start_temporary(folder.path(), None)?;
    let versitygw = tools.versitygw.context("the S3 server is missing")?;
    let storage = server::start_storage(&versitygw, folder.path())?;
    let stripe_mock = tools.stripe_mock.context("the stand-in for Stripe is missing")?;
    let stripe = server::start_stripe(&stripe_mock, folder.path())?;
    let verifiers = tools.verifiers.context("the verifiers of webhooks are missing")?;
    let variables = [
        ("SCAN_TEST_VERIFIERS", verifiers.display().to_string()),
        ("SCAN_TEST_STRIPE_MOCK", stripe.endpoint().to_owned()),
        ("SCAN_TEST_S3_ENDPOINT", storage.endpoint().to_owned()),
        ("SCAN_TEST_POSTGRES_URL", postgres.url().to_owned()),
        ("SCAN_TEST_WALK", walk.folder.display().to_string()),
    ];
    let mut test = vec!["test", "--workspace", "--no-fail-fast"];
    test.extend(arguments.only.iter().map(String::as_str));
    system::cargo_with(&test, &variables)
}
