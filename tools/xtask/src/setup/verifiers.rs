//! Webhook libraries for Python, Node and Go, which verify our signatures in the tests.
//! `outbound/tests/verifiers` fixes their versions and hashes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::print_step;
use crate::system::{self, command, output_of};

/// Files that name the libraries and call them. A change to any of them installs the libraries
/// again.
const FILES: &[&str] = &[
    "python/requirements.txt",
    "python/verify.py",
    "node/package.json",
    "node/package-lock.json",
    "node/verify.mjs",
    "go/go.mod",
    "go/go.sum",
    "go/main.go",
];

/// Installs the verifiers if they are missing, and returns their folder. If they cannot be
/// installed, adds to `missing` what to install.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let installed = sources().and_then(|sources| {
        let version = hex::encode(Sha256::digest(sources.concat()));
        let folder = cache.join(format!("verifiers-{}", &version[..12]));
        if !folder.is_dir() {
            install(cache, &folder, &sources)?;
        }
        Ok(folder)
    });
    installed
        .map_err(|error| {
            missing.push(format!("the webhook verifiers: install Python with pip, Node and Go ({error:#})"));
        })
        .ok()
}

fn sources() -> Result<Vec<Vec<u8>>> {
    let folder = system::workspace().join("outbound/tests/verifiers");
    let read = |file: &&str| fs::read(folder.join(file)).with_context(|| format!("{file} cannot be read"));
    FILES.iter().map(read).collect()
}

fn install(cache: &Path, target: &Path, sources: &[Vec<u8>]) -> Result<()> {
    print_step("verifiers", "installing webhook libraries for Python, Node and Go (a minute, once)");
    // Installed in a temporary folder and renamed, so that an interrupted run leaves nothing
    // incomplete.
    let folder = tempfile::Builder::new().prefix("verifiers-").tempdir_in(cache)?;
    for (file, bytes) in FILES.iter().zip(sources) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().context("the file has no folder")?)?;
        fs::write(path, bytes)?;
    }
    let program_in = |program: &str, language: &str| -> Result<Command> {
        let mut command_line =
            command(system::program(program).with_context(|| format!("{program} is missing"))?);
        command_line.current_dir(folder.path().join(language));
        Ok(command_line)
    };
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--target", "site"];
    output_of(program_in("python3", "python")?.args(pip).args(["-r", "requirements.txt"]))?;
    output_of(program_in("npm", "node")?.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    output_of(program_in("go", "go")?.args(["build", "-o", "verify", "."]).env("GOTOOLCHAIN", "local"))?;
    fs::rename(folder.path(), target)?;
    // The folder was renamed: there is nothing left to delete.
    let _ = folder.keep();
    Ok(())
}
