//! What the generators, the checks and the tests of the client libraries need: packages of PyPI and npm
//! at fixed versions with their hashes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::print_step;
use crate::system::{self, command, output_of};

/// Files below `clients` that fix versions and hashes. A change to any of them installs the packages
/// again.
const FILES: [&str; 3] =
    ["python/requirements.txt", "typescript/package.json", "typescript/package-lock.json"];

/// Folder with the installed packages.
#[derive(Debug, Clone)]
pub(crate) struct ClientTools(PathBuf);

impl ClientTools {
    /// Returns the folder of the Python environment.
    pub(crate) fn python_environment(&self) -> PathBuf {
        self.0.join("venv")
    }

    /// Returns a program of the Python environment.
    pub(crate) fn python_program(&self, name: &str) -> PathBuf {
        self.python_environment().join("bin").join(name)
    }

    /// Returns the folder of the npm packages.
    pub(crate) fn node_modules(&self) -> PathBuf {
        self.0.join("typescript/node_modules")
    }
}

/// Installs the packages if they are missing. If they cannot be installed, adds to `missing` what to
/// install.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<ClientTools> {
    install(cache)
        .map_err(|error| {
            let needed =
                "what the client libraries are built and tested with: install Python with pip, and Node";
            missing.push(format!("{needed} ({error:#})"));
        })
        .ok()
}

fn install(cache: &Path) -> Result<ClientTools> {
    let sources = system::workspace().join("clients");
    let mut hash = Sha256::new();
    for file in FILES {
        hash.update(fs::read(sources.join(file)).with_context(|| format!("{file} cannot be read"))?);
    }
    let folder = cache.join(format!("clients-{}", &hex::encode(hash.finalize())[..12]));
    // A virtual environment cannot be moved. The marker is written last, so that an interrupted
    // installation starts again.
    let complete = folder.join("installed");
    if complete.is_file() {
        return Ok(ClientTools(folder));
    }
    print_step("clients", "installing generators and test tools of the client libraries (a minute, once)");
    let node = folder.join("typescript");
    fs::create_dir_all(&node)?;
    for file in &FILES[1..] {
        fs::copy(sources.join(file), folder.join(file))?;
    }
    let found = |name: &str| system::program(name).with_context(|| format!("{name} is missing"));
    output_of(command(found("python3")?).args(["-m", "venv", "--clear"]).arg(folder.join("venv")))?;
    let mut pip = command(folder.join("venv/bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]);
    output_of(pip.arg("--requirement").arg(sources.join(FILES[0])))?;
    let npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    output_of(command(found("npm")?).args(npm).current_dir(&node))?;
    fs::write(complete, "")?;
    Ok(ClientTools(folder))
}
