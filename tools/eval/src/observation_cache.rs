//! Keeps what the models said about a picture or a sound, by the hash of its bytes, so that an
//! evaluation of the stages after the models takes seconds.
//!
//! The key doesn't cover the models: remove the folder after changing them or the observe stage.

use std::{
    fs,
    path::{Path, PathBuf},
};

use perception::observe::{FrameFile, ObservedBatch, Transcript};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

/// A folder of model outputs.
pub(super) struct ObservationCache {
    folder: PathBuf,
}

impl ObservationCache {
    /// Opens a cache; its folder is created.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn open(folder: &Path) -> anyhow::Result<ObservationCache> {
        fs::create_dir_all(folder)?;
        Ok(ObservationCache { folder: folder.to_owned() })
    }

    /// Returns the observations of frames, one batch a frame. `observe` runs for frames whose
    /// picture is unknown.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, or the error of `observe`.
    pub(super) fn frames(
        &self,
        files: &[FrameFile],
        observe: impl Fn(&FrameFile) -> anyhow::Result<ObservedBatch>,
    ) -> anyhow::Result<Vec<ObservedBatch>> {
        let one = |file: &FrameFile| -> anyhow::Result<ObservedBatch> {
            let mut batch = self.get("frame", &file.path, || observe(file))?;
            batch.frames.iter_mut().for_each(|frame| frame.frame_id.clone_from(&file.frame_id));
            Ok(batch)
        };
        files.iter().map(one).collect()
    }

    /// Returns the transcript of a sound. `transcribe` runs for an unknown one.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, or the error of `transcribe`.
    pub(super) fn transcript(
        &self,
        sound: &Path,
        transcribe: impl FnOnce() -> anyhow::Result<Transcript>,
    ) -> anyhow::Result<Transcript> {
        self.get("sound", sound, transcribe)
    }

    fn get<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        file: &Path,
        compute: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let hash: String = Sha256::digest(fs::read(file)?).iter().map(|byte| format!("{byte:02x}")).collect();
        let stored = self.folder.join(format!("{kind}-{hash}.json"));
        if let Ok(bytes) = fs::read(&stored) {
            return Ok(serde_json::from_slice(&bytes)?);
        }
        let value = compute()?;
        fs::write(&stored, serde_json::to_vec(&value)?)?;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_picture_is_observed_once_under_any_id() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ObservationCache::open(&folder.path().join("cache")).unwrap();
        let picture = folder.path().join("a.jpg");
        fs::write(&picture, b"picture").unwrap();
        let file = |id: &str| FrameFile { frame_id: id.to_owned(), path: picture.clone() };
        let first = cache.frames(&[file("frm_00001")], |_| Ok(ObservedBatch::default())).unwrap();
        let again = cache.frames(&[file("frm_00002")], |_| anyhow::bail!("observed again")).unwrap();
        assert_eq!(first, again);
        fs::write(&picture, b"another").unwrap();
        assert!(cache.frames(&[file("frm_00001")], |_| anyhow::bail!("unknown")).is_err());
    }
}
