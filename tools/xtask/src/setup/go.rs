//! Third-party servers for the tests, built from Go modules of fixed versions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::print_step;
use crate::system::{self, command, output_of};

/// A program in a Go module.
pub(super) struct Program {
    description: &'static str,
    name: &'static str,
    module: &'static str,
    version: &'static str,
}

/// An S3 server, for the storage tests.
pub(super) const VERSITYGW: Program = Program {
    description: "an S3 server",
    name: "versitygw",
    module: "github.com/versity/versitygw/cmd/versitygw",
    version: "v1.8.0",
};

/// Stripe's own mock of its API, for the tests of the Stripe client.
pub(super) const STRIPE_MOCK: Program = Program {
    description: "a mock of the Stripe API",
    name: "stripe-mock",
    module: "github.com/stripe/stripe-mock",
    version: "v0.203.0",
};

/// Builds the program if it is missing, and returns its path. If it cannot be built, adds to
/// `missing` what to install.
pub(super) fn ensure(program: &Program, cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let Program { description, name, module, version } = program;
    let binary = cache.join(format!("bin/{name}-{version}"));
    if system::is_executable(&binary) {
        return Some(binary);
    }
    match build(program, cache, &binary) {
        Ok(()) => Some(binary),
        Err(error) => {
            missing
                .push(format!("{description}: install Go for `go install {module}@{version}` ({error:#})"));
            None
        }
    }
}

fn build(program: &Program, cache: &Path, target: &Path) -> Result<()> {
    let go = system::program("go").context("Go is not on the PATH")?;
    let source = format!("{}@{}", program.module, program.version);
    print_step("go", &format!("building {source} (some minutes, once)"));
    // Built in a temporary folder and renamed, so that an interrupted build leaves nothing
    // incomplete.
    let folder = tempfile::Builder::new().prefix("go-").tempdir_in(cache)?;
    output_of(command(go).args(["install", &source]).env("GOBIN", folder.path()))?;
    std::fs::rename(folder.path().join(program.name), target)?;
    Ok(())
}
