//! Node modules of the console's tests: Playwright, axe, TypeScript, and the libraries that
//! `console/vendor` was copied from. `console/tests/package-lock.json` fixes their versions and
//! hashes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::print_step;
use crate::system::{self, command, output_of};

/// Files that name the modules. A change to any of them installs the modules again.
const FILES: &[&str] = &["package.json", "package-lock.json"];

/// Installs the modules if they are missing, and returns their folder. If they cannot be installed,
/// adds to `missing` what to install.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let installed = sources().and_then(|sources| {
        let version = hex::encode(Sha256::digest(sources.concat()));
        let folder = cache.join(format!("console-{}", &version[..12]));
        if !folder.is_dir() {
            install(cache, &folder, &sources)?;
        }
        Ok(folder.join("node_modules"))
    });
    let explain = |error| missing.push(format!("the tools of the console's tests: install Node ({error:#})"));
    installed.map_err(explain).ok()
}

fn sources() -> Result<Vec<Vec<u8>>> {
    let folder = system::workspace().join("console/tests");
    let read = |file: &&str| fs::read(folder.join(file)).with_context(|| format!("{file} cannot be read"));
    FILES.iter().map(read).collect()
}

fn install(cache: &Path, target: &Path, sources: &[Vec<u8>]) -> Result<()> {
    print_step("console", "installing Playwright, axe and TypeScript (once)");
    // Installed in a temporary folder and renamed, so that an interrupted run leaves nothing
    // incomplete.
    let folder = tempfile::Builder::new().prefix("console-").tempdir_in(cache)?;
    for (file, bytes) in FILES.iter().zip(sources) {
        fs::write(folder.path().join(file), bytes)?;
    }
    let npm = system::program("npm").context("npm is missing")?;
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    output_of(command(npm).current_dir(folder.path()).args(arguments))?;
    fs::rename(folder.path(), target)?;
    // The folder was renamed: there is nothing left to delete.
    let _ = folder.keep();
    Ok(())
}
