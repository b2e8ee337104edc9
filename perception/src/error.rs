//! Errors of the stages.

use domain::FailureCode;
use media::ffmpeg::FfmpegError;

use crate::models::ModelError;

/// Reason why a stage ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum PerceptionError {
    /// The video could not be decoded.
    #[error(transparent)]
    Video(#[from] FfmpegError),
    /// A photo is damaged, truncated, or not of its declared type.
    #[error("photo {ordinal} cannot be read: {reason}")]
    PhotoUnreadable {
        /// Number of the photo, starting at 0.
        ordinal: u32,
        /// Reason given by the decoder.
        reason: String,
    },
    /// A photo exceeds the size limit.
    #[error("photo {ordinal} is too large: {width} × {height} pixels")]
    PhotoTooLarge {
        /// Number of the photo, starting at 0.
        ordinal: u32,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// No frame was sharp and bright enough.
    #[error("no usable frame")]
    NoUsableFrames,
    /// The caller cancelled the stage.
    #[error("cancelled")]
    Cancelled,
    /// A model failed on valid input.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An I/O error of this machine; a retry may succeed.
    #[error("{what}: {source}")]
    Internal {
        /// The operation that failed.
        what: String,
        /// Underlying error.
        source: std::io::Error,
    },
}

impl PerceptionError {
    /// Returns the failure code for the scan, or `None` for an internal error that a retry may
    /// solve.
    pub fn failure(&self) -> Option<FailureCode> {
        match self {
            PerceptionError::Video(error) => error.failure(),
            PerceptionError::PhotoUnreadable { .. } => Some(FailureCode::MediaUnreadable),
            PerceptionError::PhotoTooLarge { .. } => Some(FailureCode::MediaTooLarge),
            PerceptionError::NoUsableFrames => Some(FailureCode::NoUsableFrames),
            PerceptionError::Cancelled | PerceptionError::Model(_) | PerceptionError::Internal { .. } => None,
        }
    }

    /// Builds the error of an operation that failed on this machine.
    pub(crate) fn internal(what: impl Into<String>, source: std::io::Error) -> PerceptionError {
        PerceptionError::Internal { what: what.into(), source }
    }
}
