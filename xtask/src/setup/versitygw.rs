//! An S3 server that is not ours, for the storage suite: our own build of a fixed version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::say;
use crate::system::{self, command, output_of};

const MODULE: &str = "github.com/versity/versitygw/cmd/versitygw";
const VERSION: &str = "v1.8.0";

/// Where the server's program is; when it cannot be built, `missing` says what to do.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let ours = cache.join(format!("bin/versitygw-{VERSION}"));
    if system::is_executable(&ours) {
        return Some(ours);
    }
    match build(cache, &ours) {
        Ok(()) => Some(ours),
        Err(error) => {
            missing.push(format!("an S3 server: install Go for `go install {MODULE}@{VERSION}` ({error:#})"));
            None
        }
    }
}

fn build(cache: &Path, target: &Path) -> Result<()> {
    let go = system::program("go").context("Go is not on the PATH")?;
    say("storage", &format!("building {MODULE}@{VERSION} with Go (some minutes, once)"));
    // Built aside and moved, so that a broken-off build leaves nothing that looks finished.
    let folder = tempfile::Builder::new().prefix("versitygw-").tempdir_in(cache)?;
    output_of(command(go).args(["install", &format!("{MODULE}@{VERSION}")]).env("GOBIN", folder.path()))?;
    std::fs::rename(folder.path().join("versitygw"), target)?;
    Ok(())
}
