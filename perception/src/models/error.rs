//! What can go wrong with a model.

use std::path::PathBuf;

/// Why a model cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file of its weights cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of its weights is not the one that was measured.
    #[error("{path} has sha256 {found}, not {expected}")]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// Its hash, hex.
        found: String,
        /// The hash it should have, hex.
        expected: String,
    },
    /// The weights are whole, and yet not what the code understands.
    #[error("weights of {model} are malformed: {reason}")]
    Malformed {
        /// The model.
        model: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The network could not be run.
    #[error("{model} failed: {reason}")]
    Failed {
        /// The model.
        model: &'static str,
        /// What the runtime said.
        reason: String,
    },
}

impl ModelError {
    /// Weights that are not what the code understands.
    pub(crate) fn malformed(model: &'static str, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Malformed { model, reason: reason.to_string() }
    }

    /// A run that failed.
    pub(crate) fn failed(model: &'static str, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Failed { model, reason: reason.to_string() }
    }
}
