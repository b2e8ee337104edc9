//! onnxruntime, which runs the models faster than the built-in runtime (ADR 41). Its Python package carries
//! the library.

use std::path::Path;

use anyhow::{Context, Result};

use super::archives::{self, Archive, Member, Registry};

const VERSION: &str = "1.32.0";
/// For each architecture, the SHA-256 of the package, and that of the library.
const HASHES: [(&str, &str, &str); 2] = [
    (
        "x86_64",
        "5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d",
        "6c1585d1bbf45b0712ea4a21b705c5fcb4ba04ff2e30f1fbf81a49faf658638f",
    ),
    (
        "aarch64",
        "2303372a85299b6757b0e11e1cbf13e410ddf7e10c37f4b37e99d1c90e7daf7c",
        "49852228a93995158b2a813d4df487d47a1b76b0eaa894507ef49e91b6d7954a",
    ),
];

/// Installs the library. If it cannot be installed, adds to `missing` what to install.
pub(super) fn ensure(cache: &Path, missing: &mut Vec<String>) {
    if let Err(error) = install(&cache.join("onnxruntime")) {
        missing.push(format!(
            "onnxruntime: the package of this name on PyPI, version {VERSION}, has the library ({error:#})"
        ));
    }
}

fn install(folder: &Path) -> Result<()> {
    let architecture = std::env::consts::ARCH;
    let hashes = HASHES.iter().find(|(name, ..)| *name == architecture);
    let (_, package, library) = hashes.with_context(|| format!("none for {architecture}"))?;
    let archive = Archive {
        registry: Registry::PyPi,
        package: "onnxruntime".to_owned(),
        version: VERSION.to_owned(),
        sha256: (*package).to_owned(),
        megabytes: 28,
        members: vec![Member {
            path: format!("onnxruntime/capi/libonnxruntime.so.{VERSION}"),
            target: "libonnxruntime.so".to_owned(),
            sha256: (*library).to_owned(),
        }],
    };
    archives::ensure(&[archive], folder)
}
