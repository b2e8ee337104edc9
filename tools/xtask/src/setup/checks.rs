//! Programs that check the source: `typos` for spelling, `cargo-deny` for dependencies.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{
    archives::{self, Archive, Member, Registry},
    print_step,
};
use crate::system::{self, command, output_of};

/// File name of `typos` in the cache.
const TYPOS_TARGET: &str = "typos-1.52.0";

/// Version of `cargo-deny` that setup builds.
const CARGO_DENY_VERSION: &str = "0.20.2";

/// Returns the path of `typos`. If it cannot be installed, `missing` says why.
pub(super) fn ensure_typos(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let file = cache.join("bin").join(TYPOS_TARGET);
    match install_typos(cache, &file) {
        Ok(()) => Some(file),
        Err(error) => {
            missing.push(format!("the spell checker `typos`: {error:#}"));
            None
        }
    }
}

/// The wheel of `typos`, which contains the program.
fn typos_archive() -> Archive {
    Archive {
        registry: Registry::PyPi,
        package: "typos".to_owned(),
        version: "1.52.0".to_owned(),
        sha256: "418fd85f7fc11dec14e5482e747f6e916af56da96207cde0cdd69540a4b389f6".to_owned(),
        megabytes: 8,
        members: vec![Member {
            path: "typos-1.52.0.data/scripts/typos".to_owned(),
            target: TYPOS_TARGET.to_owned(),
            sha256: "38b0e6d0bede64fe28e9f5bbf7bb0e528ff69927dad372a2443468cb87fae64d".to_owned(),
        }],
    }
}

fn install_typos(cache: &Path, file: &Path) -> Result<()> {
    archives::ensure(&[typos_archive()], &cache.join("bin"))?;
    if !system::is_executable(file) {
        fs::set_permissions(file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Returns the path of `cargo-deny`. If it cannot be built, `missing` says why.
pub(super) fn ensure_cargo_deny(cache: &Path, missing: &mut Vec<String>) -> Option<PathBuf> {
    let file = cache.join(format!("bin/cargo-deny-{CARGO_DENY_VERSION}"));
    if system::is_executable(&file) {
        return Some(file);
    }
    match build_cargo_deny(cache, &file) {
        Ok(()) => Some(file),
        Err(error) => {
            missing.push(format!("cargo-deny {CARGO_DENY_VERSION}: {error:#}"));
            None
        }
    }
}

fn build_cargo_deny(cache: &Path, target: &Path) -> Result<()> {
    print_step("cargo-deny", &format!("building version {CARGO_DENY_VERSION} (about four minutes, once)"));
    // Built in a temporary folder and then moved, so that an interrupted build leaves no program.
    let folder = tempfile::Builder::new().prefix("cargo-deny-").tempdir_in(cache)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut install = command(cargo);
    install.args(["install", "--quiet", "--locked", "--version", CARGO_DENY_VERSION, "--root"]);
    output_of(install.arg(folder.path()).arg("cargo-deny"))?;
    fs::rename(folder.path().join("bin/cargo-deny"), target)?;
    Ok(())
}
