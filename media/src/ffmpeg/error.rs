//! Errors of reading media, and the failure codes of scans that they map to.

use domain::FailureCode;

/// An error of reading media.
#[derive(Debug, thiserror::Error)]
pub enum FfmpegError {
    /// The file is damaged, truncated, or not of its declared type.
    #[error("media cannot be read: {0}")]
    Unreadable(String),
    /// There is no video stream.
    #[error("no video stream")]
    NoVideoStream,
    /// The frames exceed the size limit.
    #[error("frames of {width} × {height} pixels exceed the limit")]
    TooLarge {
        /// Width in pixels; 0 if the decoder didn't report it.
        width: u32,
        /// Height in pixels; 0 if the decoder didn't report it.
        height: u32,
    },
    /// The media exceed the duration limit.
    #[error("media of {seconds} s exceed the limit of {limit} s")]
    TooLong {
        /// Duration in seconds.
        seconds: u64,
        /// The limit in seconds.
        limit: u64,
    },
    /// The file is a playlist, or its media are in other files.
    #[error("media refer to other files or addresses: {0}")]
    NotSelfContained(String),
    /// Decoding reached a limit of time, memory or output.
    #[error("decoding the media costs too much: {0}")]
    TooCostly(String),
    /// This machine failed, for example because a program is missing. A retry may succeed.
    #[error("{what}: {source}")]
    Internal {
        /// The operation that failed.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl FfmpegError {
    /// Returns the failure code of the scan, or `None` if this machine failed and a retry may
    /// succeed.
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

    /// Builds an error for a failure of this machine.
    pub(crate) fn internal(what: impl Into<String>, source: std::io::Error) -> FfmpegError {
        FfmpegError::Internal { what: what.into(), source }
    }
}
