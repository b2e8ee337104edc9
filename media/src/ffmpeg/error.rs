//! Why a medium could not be looked at, in words that map to what a scan fails with.

use domain::FailureCode;

/// What went wrong with a medium, or with the programs that read it.
#[derive(Debug, thiserror::Error)]
pub enum FfmpegError {
    /// Damaged, cut off, or not what its type says.
    #[error("media cannot be read: {0}")]
    Unreadable(String),
    /// No stream of pictures.
    #[error("no video stream")]
    NoVideoStream,
    /// RawFrameReader over the limit.
    #[error("pictures of {width} × {height} pixels are over the limit")]
    TooLarge {
        /// Width in pixels, 0 when the decoder did not say.
        width: u32,
        /// Height in pixels, 0 when the decoder did not say.
        height: u32,
    },
    /// Longer than the limit.
    #[error("media of {seconds} s is over the limit of {limit} s")]
    TooLong {
        /// Its length.
        seconds: u64,
        /// The limit.
        limit: u64,
    },
    /// A playlist, or media that lie in other files.
    #[error("media refers to other files or addresses: {0}")]
    NotSelfContained(String),
    /// A limit on time, memory or output was reached.
    #[error("media is too costly: {0}")]
    TooCostly(String),
    /// The fault is ours (a program is missing, a pipe broke); trying again may help.
    #[error("{what}: {source}")]
    Internal {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl FfmpegError {
    /// What the scan fails with; `None` when the fault is ours and trying again may help.
    pub fn failure(&self) -> Option<FailureCode> {
        match self {
            FfmpegError::Unreadable(_) => Some(FailureCode::MediaUnreadable),
            FfmpegError::NoVideoStream => Some(FailureCode::NoVideoStream),
            FfmpegError::TooLarge { .. } => Some(FailureCode::MediaTooLarge),
            FfmpegError::TooLong { .. } => Some(FailureCode::MediaTooLong),
            FfmpegError::NotSelfContained(_) => Some(FailureCode::MediaNotSelfContained),
            FfmpegError::TooCostly(_) => Some(FailureCode::MediaTooCostly),
            FfmpegError::Internal { .. } => None,
        }
    }

    /// A failure of this machine.
    pub(crate) fn internal(what: impl Into<String>, source: std::io::Error) -> FfmpegError {
        FfmpegError::Internal { what: what.into(), source }
    }
}
