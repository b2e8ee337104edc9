//! `cargo xtask test`: sets up, then runs every check and every test.

mod console;
mod deploy;
mod terms;

use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use temporary_postgres::{Durability, Postgres};
use walkgen::WalkOptions;

use crate::{
    chaos, clients, sample, server,
    setup::{self, Requirements, Tools, print_step},
    system::{self, command},
};

/// Options of `cargo xtask test`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run only the checks, which start nothing.
    #[arg(long)]
    source: bool,
    /// Arguments of `cargo test`, for example `--package ledger` or a part of a test's name. With them,
    /// the checks are skipped.
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
        run_checks(&tools)?;
    }
    if arguments.source {
        return Ok(());
    }
    // End-to-end tests start these programs. Building all targets together gives tests and programs the
    // same features, so that every dependency is built once.
    system::build(&["--workspace", "--all-targets"])?;
    let walk = sample::cached(&WalkOptions::for_tests(), &tools)?;
    let folder = tempfile::tempdir()?;
    let postgres = Postgres::start(folder.path(), None, Durability::None)?;
    let versitygw = tools.versitygw.as_ref().context("the S3 server is missing")?;
    let storage = server::start_storage(versitygw, folder.path())?;
    let stripe_mock = tools.stripe_mock.as_ref().context("stripe-mock is missing")?;
    let stripe = server::start_stripe(stripe_mock, folder.path())?;
    let verifiers = tools.verifiers.as_ref().context("the webhook verifiers are missing")?;
    let clients = tools.clients.as_ref().context("the tools of the client libraries are missing")?;
    let packages = clients::build_packages(clients, folder.path())?;
    let console_modules =
        tools.console_modules.as_ref().context("the tools of the console's tests are missing")?;
    let variables = [
        ("SCAN_TEST_CLIENTS", packages.display().to_string()),
        ("SCAN_TEST_VERIFIERS", verifiers.display().to_string()),
        ("SCAN_TEST_STRIPE_MOCK", stripe.endpoint().to_owned()),
        ("SCAN_TEST_S3_ENDPOINT", storage.endpoint().to_owned()),
        ("SCAN_TEST_POSTGRES_URL", postgres.url().to_owned()),
        ("SCAN_TEST_CONSOLE_MODULES", console_modules.display().to_string()),
        ("SCAN_TEST_WALK", walk.folder.display().to_string()),
    ];
    let mut test = vec!["test", "--workspace", "--no-fail-fast"];
    test.extend(arguments.only.iter().map(String::as_str));
    system::cargo_with_env(&test, &variables)?;
    if !arguments.only.is_empty() {
        return Ok(());
    }
    print_step("postgres", "the tests of the HTTP API once more, all on PostgreSQL");
    let variables = [variables.as_slice(), &[("SCAN_TEST_DATABASE", "postgres".to_owned())]].concat();
    system::cargo_with_env(&["test", "--workspace", "--no-fail-fast", "--test", "http"], &variables)?;
    print_step("chaos", "faults on the production-like stack, for a minute");
    chaos::short_run(&tools)
}

/// Runs every check that reads the source and starts nothing.
fn run_checks(tools: &Tools) -> Result<()> {
    print_step("rustfmt", "the format of the code");
    system::cargo(&["fmt", "--all", "--", "--check"])?;
    print_step("typos", "spelling, and the terms that typos.toml replaces");
    let typos = tools.typos.as_ref().context("typos is missing")?;
    run_shown(command(typos).args(["--format", "brief"]))?;
    print_step("terms", "names and phrases that terms.toml replaces");
    terms::check(&system::workspace())?;
    print_step("deploy", "alerts, their tests, and the compose file");
    deploy::check()?;
    check_dependencies(tools)?;
    clients::check(
        tools.clients.as_ref().context("the tools of the client libraries are missing")?,
        &tools.cache_dir,
    )?;
    console::check(
        tools.console_modules.as_deref().context("the tools of the console's tests are missing")?,
    )?;
    print_step("clippy", "lints of the workspace");
    system::cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    print_step("rustdoc", "links and syntax of doc comments");
    // The pages are for developers of this workspace and contain private items, too.
    let flags = [("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links".to_owned())];
    system::cargo_with_env(&["doc", "--workspace", "--no-deps", "--document-private-items"], &flags)
}

/// Runs `cargo deny`. Advisories need a database from the network: without it, they are skipped.
fn check_dependencies(tools: &Tools) -> Result<()> {
    let cargo_deny = tools.cargo_deny.as_ref().context("cargo-deny is missing")?;
    print_step("cargo-deny", "licences, banned crates and sources of dependencies");
    // Temporal's crates have a LICENSE file and no licence field.
    let quiet = ["--hide-inclusion-graph", "--allow", "no-license-field"];
    run_shown(command(cargo_deny).arg("check").args(quiet).args(["licenses", "bans", "sources"]))?;
    let fetched =
        system::output_of(command(cargo_deny).args(["fetch", "db"]).current_dir(system::workspace()));
    if fetched.is_err() {
        print_step(
            "advisories",
            "NOT CHECKED: the RustSec advisory database cannot be fetched from this machine",
        );
        return Ok(());
    }
    print_step("advisories", "known vulnerabilities of dependencies");
    run_shown(command(cargo_deny).args(["check", "--disable-fetch", "--hide-inclusion-graph", "advisories"]))
}

/// Runs a command in the workspace and shows its output.
fn run_shown(command: &mut Command) -> Result<()> {
    run_in(command.current_dir(system::workspace()))
}

/// Runs a command in its folder and shows its output.
fn run_in(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status();
    let status = status.with_context(|| format!("{name} could not be started"))?;
    ensure!(status.success(), "{name} ended with {status}");
    Ok(())
}
