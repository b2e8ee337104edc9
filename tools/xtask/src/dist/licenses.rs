//! Copies the licences of everything that the archive contains and others wrote.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::Value;

use super::go_modules;
use crate::{sbom, setup::print_step, system::workspace};

/// Files of other projects in this repository that are part of the binary: name of the licence in the
/// archive, and its file.
const EMBEDDED: [(&str, &str); 3] = [
    ("preact.txt", "console/vendor/preact.LICENSE.txt"),
    ("htm.txt", "console/vendor/htm.LICENSE.txt"),
    ("wordnet.txt", "knowledge/src/ask/wordnet/LICENSE"),
];

/// Licences of the weights of the models.
const WEIGHTS: &str = "perception/WEIGHTS-LICENSES.txt";

/// Copies the licences of the binary: those of its crates to `folder/crates`, and those of files that it
/// embeds to `folder/embedded`.
pub(super) fn of_binary(metadata: &Value, folder: &Path) -> Result<()> {
    let built = sbom::package_urls(metadata);
    let mut parts = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        // Crates of the workspace have the licence of the archive.
        if package["source"].is_null() || !built.contains(&sbom::purl(package)) {
            continue;
        }
        let manifest = Path::new(package["manifest_path"].as_str().context("a package without a manifest")?);
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        parts.push(Part {
            name: format!("{}-{}", text("name"), text("version")),
            sources: manifest.parent().context("a manifest without a folder")?.to_owned(),
            named: text("license").to_owned(),
        });
    }
    copy_parts("crates", &parts, &folder.join("crates"))?;
    let embedded = folder.join("embedded");
    fs::create_dir_all(&embedded)?;
    for (name, file) in EMBEDDED {
        copy(&workspace().join(file), &embedded.join(name))?;
    }
    Ok(())
}

/// Copies the licences of the Temporal CLI and its Go modules to `folder/temporal`, and those of the
/// models to `folder/models.txt`.
pub(super) fn of_tools(engine: &Path, folder: &Path) -> Result<()> {
    let modules = go_modules::of_program(engine)?.into_iter().map(|module| Part {
        name: module.name.replace('/', "_"),
        sources: module.folder,
        named: "see the module".to_owned(),
    });
    copy_parts("Go modules", &modules.collect::<Vec<_>>(), &folder.join("temporal"))?;
    copy(&workspace().join(WEIGHTS), &folder.join("models.txt"))
}

/// Something with a licence.
struct Part {
    /// Name and version.
    name: String,
    /// Folder with the licence files.
    sources: std::path::PathBuf,
    /// Licence that its description names.
    named: String,
}

/// Copies the licence files of each part to a folder of its own, and lists the parts without one.
fn copy_parts(kind: &str, parts: &[Part], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut without = Vec::new();
    for part in parts {
        if !copy_files(&part.sources, &folder.join(&part.name))? {
            without.push(format!("{}: {}\n", part.name, part.named));
        }
    }
    without.sort();
    if !without.is_empty() {
        let note = "Packages without a licence file, with the licence that they name:\n\n";
        fs::write(folder.join("WITHOUT-FILE.txt"), format!("{note}{}", without.concat()))?;
    }
    print_step("licences", &format!("of {} {kind}, {} of them only named", parts.len(), without.len()));
    Ok(())
}

/// Copies the files that look like licences. Returns whether there is one.
fn copy_files(from: &Path, to: &Path) -> Result<bool> {
    let mut found = false;
    if !from.is_dir() {
        return Ok(false);
    }
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_file() && is_license(name) {
            fs::create_dir_all(to)?;
            copy(&path, &to.join(name))?;
            found = true;
        }
    }
    Ok(found)
}

/// Copies a file, which everyone may read. Sources in caches may be read-only.
fn copy(from: &Path, to: &Path) -> Result<()> {
    super::copy(from, to, 0o644)
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
    fn licence_files_are_copied_and_parts_without_one_are_listed() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["LICENSE-MIT", "NOTICE.txt", "README.md", "build.rs"] {
            fs::write(from.path().join(name), name).unwrap();
        }
        let part = |name: &str, sources: &Path| Part {
            name: name.into(),
            sources: sources.into(),
            named: "MIT".into(),
        };
        let absent = from.path().join("absent");
        copy_parts("parts", &[part("a-1.0.0", from.path()), part("b-1.0.0", &absent)], to.path()).unwrap();
        let copied = fs::read_dir(to.path().join("a-1.0.0")).unwrap();
        let mut names: Vec<_> = copied.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["LICENSE-MIT", "NOTICE.txt"]);
        let list = fs::read_to_string(to.path().join("WITHOUT-FILE.txt")).unwrap();
        assert!(list.ends_with("\n\nb-1.0.0: MIT\n"), "{list}");
    }

    #[test]
    fn files_of_other_projects_in_the_repository_have_their_licences() {
        for file in EMBEDDED.iter().map(|(_, file)| *file).chain([WEIGHTS]) {
            let text = fs::read_to_string(workspace().join(file)).unwrap();
            assert!(text.to_lowercase().contains("permission"), "{file}");
        }
    }
}
