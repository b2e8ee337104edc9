//! Libraries that receivers verify our signatures with: of Python, Node and Go, each at a fixed version with
//! its hashes, as `outbound/tests/verifiers` names them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::say;
use crate::system::{self, command, output_of};

/// The files that say what is installed and how it is called; a change of any of them installs anew.
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

/// Where the verifiers are; when they cannot be installed, `missing` says what to do.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let made = sources().and_then(|sources| {
        let version = hex::encode(Sha256::digest(sources.concat()));
        let ours = cache.join(format!("verifiers-{}", &version[..12]));
        if !ours.is_dir() {
            install(cache, &ours, &sources)?;
        }
        Ok(ours)
    });
    made.map_err(|error| {
        missing.push(format!("the verifiers of webhooks: install Python with pip, Node and Go ({error:#})"));
    })
    .ok()
}

fn sources() -> Result<Vec<Vec<u8>>> {
    let folder = system::workspace().join("outbound/tests/verifiers");
    let read = |file: &&str| fs::read(folder.join(file)).with_context(|| format!("{file} cannot be read"));
    FILES.iter().map(read).collect()
}

fn install(cache: &Path, target: &Path, sources: &[Vec<u8>]) -> Result<()> {
    say("verifiers", "installing libraries of Python, Node and Go that verify webhooks (a minute, once)");
    // Made aside and moved, so that a broken-off installation leaves nothing that looks finished.
    let folder = tempfile::Builder::new().prefix("verifiers-").tempdir_in(cache)?;
    for (file, bytes) in FILES.iter().zip(sources) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().context("a file in a folder")?)?;
        fs::write(path, bytes)?;
    }
    let within = |program: &str, language: &str| -> Result<Command> {
        let mut line = command(system::program(program).with_context(|| format!("{program} is missing"))?);
        line.current_dir(folder.path().join(language));
        Ok(line)
    };
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--target", "site"];
    output_of(within("python3", "python")?.args(pip).args(["-r", "requirements.txt"]))?;
    output_of(within("npm", "node")?.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    output_of(within("go", "go")?.args(["build", "-o", "verify", "."]).env("GOTOOLCHAIN", "local"))?;
    fs::rename(folder.path(), target)?;
    // What was moved is not there to be deleted any more.
    let _ = folder.keep();
    Ok(())
}
