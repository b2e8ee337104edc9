//! Errors of the models.

use std::path::PathBuf;

/// Reason why a model cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A weights file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Underlying error.
        source: std::io::Error,
    },
    /// A weights file has the wrong hash.
    #[error("{path} has sha256 {found}, not {expected}")]
    WrongHash {
        /// Path of the file.
        path: PathBuf,
        /// SHA-256 of the file, hex.
        found: String,
        /// Expected SHA-256, hex.
        expected: String,
    },
    /// The weights have the right hash but an unexpected structure.
    #[error("weights of {model} are malformed: {reason}")]
    Malformed {
        /// Name of the model.
        model: &'static str,
        /// Description of the defect.
        reason: String,
    },
    /// The network failed to run.
    #[error("{model} failed: {reason}")]
    Failed {
        /// Name of the model.
        model: &'static str,
        /// Message of the runtime.
        reason: String,
    },
}

impl ModelError {
    /// Builds the error for weights of an unexpected structure.
    pub(crate) fn malformed(model: &'static str, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Malformed { model, reason: reason.to_string() }
    }

    /// Builds the error for a failed run.
    pub(crate) fn failed(model: &'static str, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Failed { model, reason: reason.to_string() }
    }
}
