//! Copies the licences of the crates that the binary is built from.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{sbom, setup::print_step};

/// Copies the licence files of each crate to `folder/<crate>-<version>`.
pub(super) fn copy(metadata: &Value, folder: &Path) -> Result<()> {
    let built = sbom::package_urls(metadata);
    let mut without = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        // Crates of the workspace have the licence of the archive.
        if package["source"].is_null() || !built.contains(&sbom::purl(package)) {
            continue;
        }
        let manifest = Path::new(package["manifest_path"].as_str().context("a package without a manifest")?);
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let own = folder.join(format!("{}-{}", text("name"), text("version")));
        if !copy_files(manifest.parent().context("a manifest without a folder")?, &own)? {
            without.push(format!("{} {}: {}", text("name"), text("version"), text("license")));
        }
    }
    without.sort();
    let note = "Crates whose packages have no licence file, with the licence that they name:\n\n";
    fs::write(folder.join("WITHOUT-FILE.txt"), format!("{note}{}\n", without.join("\n")))?;
    print_step("licences", &format!("of {} crates, {} of them only named", built.len(), without.len()));
    Ok(())
}

/// Copies the files that look like licences. Returns whether there is one.
fn copy_files(from: &Path, to: &Path) -> Result<bool> {
    let mut found = false;
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_file() && is_license(name) {
            fs::create_dir_all(to)?;
            fs::copy(&path, to.join(name))?;
            found = true;
        }
    }
    Ok(found)
}

fn is_license(name: &str) -> bool {
    let name = name.to_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"]
        .iter()
        .any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_files_are_copied_and_others_are_not() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["LICENSE-MIT", "NOTICE.txt", "README.md", "build.rs"] {
            fs::write(from.path().join(name), name).unwrap();
        }
        let own = to.path().join("a-1.0.0");
        assert!(copy_files(from.path(), &own).unwrap());
        let mut names: Vec<_> = fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["LICENSE-MIT", "NOTICE.txt"]);
        assert!(!copy_files(to.path(), &to.path().join("none")).unwrap());
    }
}
