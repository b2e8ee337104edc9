//! Servers that are not ours and that tests run against, each our own build of a fixed version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::say;
use crate::system::{self, command, output_of};

/// A program of a Go module.
pub(super) struct Program {
    /// What it is for, for messages.
    what: &'static str,
    name: &'static str,
    module: &'static str,
    version: &'static str,
}

/// An S3 server, for the storage suite.
pub(super) const VERSITYGW: Program = Program {
    what: "an S3 server",
    name: "versitygw",
    module: "github.com/versity/versitygw/cmd/versitygw",
    version: "v1.8.0",
};

/// Stripe's API as Stripe describes it, for the bank's client.
pub(super) const STRIPE_MOCK: Program = Program {
    what: "a stand-in for Stripe",
    name: "stripe-mock",
    module: "github.com/stripe/stripe-mock",
    version: "v0.203.0",
};

/// Where the program is; when it cannot be built, `missing` says what to do.
pub(super) fn ensure(program: &Program, cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let Program { what, name, module, version } = program;
    let ours = cache.join(format!("bin/{name}-{version}"));
    if system::is_executable(&ours) {
        return Some(ours);
    }
    match build(program, cache, &ours) {
        Ok(()) => Some(ours),
        Err(error) => {
            missing.push(format!("{what}: install Go for `go install {module}@{version}` ({error:#})"));
            None
        }
    }
}

fn build(program: &Program, cache: &Path, target: &Path) -> Result<()> {
    let go = system::program("go").context("Go is not on the PATH")?;
    let source = format!("{}@{}", program.module, program.version);
    say("go", &format!("building {source} (some minutes, once)"));
    // Built aside and moved, so that a broken-off build leaves nothing that looks finished.
    let folder = tempfile::Builder::new().prefix("go-").tempdir_in(cache)?;
    output_of(command(go).args(["install", &source]).env("GOBIN", folder.path()))?;
    std::fs::rename(folder.path().join(program.name), target)?;
    Ok(())
}
