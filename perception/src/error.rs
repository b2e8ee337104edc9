//! Why a stage ends without a result.

use domain::FailureCode;
use media::ffmpeg::FfmpegError;

use crate::models::ModelError;

/// What went wrong in a stage.
#[derive(Debug, thiserror::Error)]
pub enum PerceptionError {
    /// A video could not be looked at.
    #[error(transparent)]
    Video(#[from] FfmpegError),
    /// A photo is damaged, cut off, or not what its type says.
    #[error("photo {ordinal} cannot be read: {reason}")]
    PhotoUnreadable {
        /// Which photo, starting at 0.
        ordinal: u32,
        /// Why.
        reason: String,
    },
    /// A photo is over the limit.
    #[error("photo {ordinal} of {width} × {height} pixels is over the limit")]
    PhotoTooLarge {
        /// Which photo, starting at 0.
        ordinal: u32,
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// Not one frame was sharp and bright enough.
    #[error("no usable frame")]
    NoUsableFrames,
    /// The stage was asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A model failed on an input it should take.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The fault is ours; trying again may help.
    #[error("{what}: {source}")]
    Internal {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl PerceptionError {
    /// What the scan fails with; `None` when the fault is ours and trying again may help.
    pub fn failure(&self) -> Option<FailureCode> {
        match self {
            PerceptionError::Video(error) => error.failure(),
            PerceptionError::PhotoUnreadable { .. } => Some(FailureCode::MediaUnreadable),
            PerceptionError::PhotoTooLarge { .. } => Some(FailureCode::MediaTooLarge),
            PerceptionError::NoUsableFrames => Some(FailureCode::NoUsableFrames),
            PerceptionError::Cancelled | PerceptionError::Model(_) | PerceptionError::Internal { .. } => None,
        }
    }

    /// A failure of this machine.
    pub(crate) fn internal(what: impl Into<String>, source: std::io::Error) -> PerceptionError {
        PerceptionError::Internal { what: what.into(), source }
    }
}
