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

impl Program {
    /// Returns what `go install` builds.
    pub(super) fn source(&self) -> String {
        format!("{}@{}", self.module, self.version)
    }
}

/// Temporal's CLI. The version is that of the package in `setup::temporal`.
pub(super) const TEMPORAL_CLI: Program = Program {
    description: "the Temporal CLI",
    name: "temporal",
    module: "github.com/temporalio/cli/cmd/temporal",
    version: "v1.5.1",
};

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

/// Temporal's server, for the production-like stack. The version is that of `docker-compose.temporal.yml`.
pub(super) const TEMPORAL_SERVER: Program = Program {
    description: "the Temporal server",
    name: "temporal-server",
    module: "go.temporal.io/server/cmd/server",
    version: "v1.29.1",
};

/// The program that creates the tables of Temporal's server. It contains their schema.
pub(super) const TEMPORAL_SQL_TOOL: Program = Program {
    description: "the schema tool of the Temporal server",
    name: "temporal-sql-tool",
    module: "go.temporal.io/server/cmd/tools/sql",
    version: "v1.29.1",
};

/// Temporal's Web UI, for the production-like stack.
pub(super) const TEMPORAL_UI: Program = Program {
    description: "Temporal's Web UI",
    name: "temporal-ui-server",
    module: "github.com/temporalio/ui-server/v2/cmd/server",
    version: "v2.42.1",
};

/// Builds the program if it is missing, and returns its path. If it cannot be built, adds to
/// `missing` what to install.
pub(super) fn ensure(program: &Program, cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let Program { description, name, version, .. } = program;
    let binary = cache.join(format!("bin/{name}-{version}"));
    if system::is_executable(&binary) {
        return Some(binary);
    }
    match build(program, cache, &binary) {
        Ok(()) => Some(binary),
        Err(error) => {
            missing
                .push(format!("{description}: install Go for `go install {}` ({error:#})", program.source()));
            None
        }
    }
}

/// Builds the program and moves it to `target`, a path in the cache.
pub(super) fn build(program: &Program, cache: &Path, target: &Path) -> Result<()> {
    let go = system::program("go").context("Go is not on the PATH")?;
    let source = program.source();
    print_step("go", &format!("building {source} (some minutes, once)"));
    // Built in a temporary folder and renamed, so that an interrupted build leaves nothing
    // incomplete.
    let folder = tempfile::Builder::new().prefix("go-").tempdir_in(cache)?;
    output_of(command(go).args(["install", &source]).env("GOBIN", folder.path()))?;
    // Go names a program after the last part of its path.
    let built = program.module.rsplit('/').next().unwrap_or(program.module);
    std::fs::rename(folder.path().join(built), target)?;
    Ok(())
}
