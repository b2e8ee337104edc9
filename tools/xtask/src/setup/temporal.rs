//! The Temporal CLI: the one on the `PATH`, otherwise a build of a fixed version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{file_stamps::FileStamps, print_step};
use crate::system::{self, command, output_of};

const MODULE: &str = "github.com/temporalio/cli/cmd/temporal";
const VERSION: &str = "v1.5.1";

/// Finds the CLI or builds it, and returns its path. If it cannot be built, adds to `missing` what
/// to install.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let binary = cache.join("bin/temporal");
    let stamps = cache.join("bin/versions.json");
    let found =
        system::program("temporal").or_else(|| system::is_executable(&binary).then(|| binary.clone()));
    // A CLI that does not run, for example one of another architecture, is replaced.
    let working = found.filter(|file| match version(file, &stamps) {
        Ok(_) => true,
        Err(error) => {
            print_step("temporal", &format!("{} does not run: {error:#}", file.display()));
            false
        }
    });
    if working.is_some() {
        return working;
    }
    match build(cache).and_then(|()| version(&binary, &stamps)) {
        Ok(_) => Some(binary),
        Err(error) => {
            missing.push(format!(
                "the Temporal CLI: put `temporal` on the PATH, or install Go for \
                 `go install {MODULE}@{VERSION}` ({error:#})"
            ));
            None
        }
    }
}

/// Returns the version of the CLI. It is remembered until the file changes.
fn version(file: &Path, stamps: &Path) -> Result<String> {
    let mut stamps = FileStamps::read(stamps);
    if let Some(version) = stamps.get(file) {
        return Ok(version.to_owned());
    }
    let text = output_of(command(file).arg("--version"))?.trim().to_owned();
    stamps.set(file, &text)?;
    print_step("temporal", &format!("{text} ({})", file.display()));
    Ok(text)
}

fn build(cache: &Path) -> Result<()> {
    let go = system::program("go").context("Go is not on the PATH")?;
    print_step("temporal", &format!("building {MODULE}@{VERSION} with Go (some minutes, once)"));
    // Built in a temporary folder and renamed, so that an interrupted build leaves nothing
    // incomplete.
    let folder = tempfile::Builder::new().prefix("temporal-").tempdir_in(cache)?;
    output_of(command(go).args(["install", &format!("{MODULE}@{VERSION}")]).env("GOBIN", folder.path()))?;
    std::fs::rename(folder.path().join("temporal"), cache.join("bin/temporal"))?;
    Ok(())
}
