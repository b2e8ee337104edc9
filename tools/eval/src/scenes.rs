//! Scenes of another renderer that the project carries, in the manifest `data/scenes.toml`.
//!
//! Development scenes are for choosing rules and thresholds. Held scenes are evaluated once, when
//! nothing will be chosen any more; the manifest keeps the two apart, and pins the media by their
//! hashes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::columns::Column;

/// Part of the scenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Part {
    /// Scenes on which rules and thresholds may be chosen.
    Dev,
    /// Scenes that are evaluated once.
    Held,
}

/// The manifest of the scenes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    #[serde(rename = "scene")]
    scenes: Vec<Scene>,
    /// Folder of the manifest, to which its paths are relative.
    #[serde(skip)]
    folder: PathBuf,
}

/// One walk, or one set of photos.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scene {
    /// Name of the scene.
    pub(super) name: String,
    /// Its part.
    part: Part,
    /// Its truth file.
    pub(super) truth: PathBuf,
    /// Columns of the report that it counts in.
    pub(super) columns: Vec<Column>,
    /// Questions about it.
    pub(super) questions: Option<PathBuf>,
    /// SHA-256 of each media file, in hex.
    sha256: BTreeMap<PathBuf, String>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or has another format.
    pub(super) fn open(file: &Path) -> anyhow::Result<Manifest> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let mut manifest: Manifest = toml::from_str(&text).with_context(|| file.display().to_string())?;
        manifest.folder = file.parent().unwrap_or(Path::new(".")).to_owned();
        Ok(manifest)
    }

    /// Returns the scenes of one part, after a check of their media. Their paths start with the
    /// manifest's folder.
    ///
    /// # Errors
    /// Returns an error if a media file is missing or has another hash.
    pub(super) fn scenes(&self, part: Part) -> anyhow::Result<Vec<Scene>> {
        let of_part = self.scenes.iter().filter(|scene| scene.part == part);
        of_part.map(|scene| self.verified(scene).with_context(|| scene.name.clone())).collect()
    }

    fn verified(&self, scene: &Scene) -> anyhow::Result<Scene> {
        for (file, expected) in &scene.sha256 {
            let bytes = fs::read(self.folder.join(file)).with_context(|| file.display().to_string())?;
            let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            ensure!(hash == *expected, "{} has SHA-256 {hash} instead of {expected}", file.display());
        }
        let mut scene = scene.clone();
        scene.truth = self.folder.join(&scene.truth);
        scene.questions = scene.questions.map(|file| self.folder.join(file));
        Ok(scene)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scenes.toml")).unwrap()
    }

    #[test]
    fn every_scene_has_the_media_of_its_hashes_and_the_two_parts_share_none() {
        let manifest = manifest();
        let [dev, held] = [Part::Dev, Part::Held].map(|part| manifest.scenes(part).unwrap());
        assert!(!dev.is_empty() && !held.is_empty());
        let hashes = |scenes: &[Scene]| -> std::collections::BTreeSet<String> {
            scenes.iter().flat_map(|scene| scene.sha256.values().cloned()).collect()
        };
        assert!(hashes(&dev).is_disjoint(&hashes(&held)));
        for scene in dev.iter().chain(&held) {
            assert!(scene.truth.is_file() && !scene.sha256.is_empty(), "{}", scene.name);
            assert!(scene.questions.as_ref().is_none_or(|file| file.is_file()), "{}", scene.name);
        }
    }

    #[test]
    fn a_changed_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("photo.jpg"), "other").unwrap();
        let text = "[[scene]]\nname = \"a\"\npart = \"dev\"\ntruth = \"a.truth.json\"\ncolumns = []\n\
                    [scene.sha256]\n\"photo.jpg\" = \"00\"\n";
        fs::write(folder.path().join("scenes.toml"), text).unwrap();
        let manifest = Manifest::open(&folder.path().join("scenes.toml")).unwrap();
        assert!(manifest.scenes(Part::Dev).unwrap_err().chain().any(|e| e.to_string().contains("SHA-256")));
        assert!(manifest.scenes(Part::Held).unwrap().is_empty());
    }
}
