//! The Temporal CLI: the one on the `PATH`, else our own build of a fixed version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{say, stamp::Stamp};
use crate::system::{self, command, output_of};

const MODULE: &str = "github.com/temporalio/cli/cmd/temporal";
const VERSION: &str = "v1.5.1";

/// Where the CLI is; when it is nowhere and cannot be built, `missing` says what to do.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let ours = cache.join("bin/temporal");
    let stamp = cache.join("bin/versions.json");
    let found = system::program("temporal").or_else(|| system::is_executable(&ours).then(|| ours.clone()));
    // One that does not run (half written, another machine's) is as good as none.
    let working = found.filter(|file| match version(file, &stamp) {
        Ok(_) => true,
        Err(error) => {
            say("temporal", &format!("{} does not run: {error:#}", file.display()));
            false
        }
    });
    if working.is_some() {
        return working;
    }
    match build(cache).and_then(|()| version(&ours, &stamp)) {
        Ok(_) => Some(ours),
        Err(error) => {
            missing.push(format!(
                "the Temporal CLI: put `temporal` on the PATH, or install Go for \
                 `go install {MODULE}@{VERSION}` ({error:#})"
            ));
            None
        }
    }
}

/// Its version, asked once and then remembered.
fn version(file: &Path, stamp: &Path) -> Result<String> {
    let mut stamp = Stamp::read(stamp);
    if let Some(version) = stamp.get(file) {
        return Ok(version.to_owned());
    }
    let text = output_of(command(file).arg("--version"))?.trim().to_owned();
    stamp.set(file, &text)?;
    say("temporal", &format!("{text} ({})", file.display()));
    Ok(text)
}

fn build(cache: &Path) -> Result<()> {
    let go = system::program("go").context("Go is not on the PATH")?;
    say("temporal", &format!("building {MODULE}@{VERSION} with Go (some minutes, once)"));
    // Built aside and moved, so that a broken-off build leaves nothing that looks finished.
    let folder = tempfile::Builder::new().prefix("temporal-").tempdir_in(cache)?;
    output_of(command(go).args(["install", &format!("{MODULE}@{VERSION}")]).env("GOBIN", folder.path()))?;
    std::fs::rename(folder.path().join("temporal"), cache.join("bin/temporal"))?;
    Ok(())
}
