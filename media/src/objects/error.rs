//! Errors of object storage.

use aws_sdk_s3::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
};

/// An error of object storage.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The object doesn't exist.
    #[error("no object at {key}")]
    NotFound {
        /// The requested key.
        key: String,
    },
    /// The object has another ETag than expected.
    #[error("the object at {key} has changed")]
    PreconditionFailed {
        /// The key of the object.
        key: String,
    },
    /// Storage is unreachable, overloaded, failing or too slow, or its bucket doesn't exist. A retry may
    /// succeed.
    #[error("object storage is unavailable: {reason}")]
    Unavailable {
        /// Reason, for logs.
        reason: String,
    },
    /// A stream was shorter or longer than declared. Nothing was stored.
    #[error("{declared} bytes were declared, {} received", describe_received(*declared, *received))]
    LengthMismatch {
        /// Declared length in bytes.
        declared: u64,
        /// Number of received bytes: all bytes of a short stream, or the count at which a stream
        /// was found to be too long.
        received: u64,
    },
    /// The stream to be stored failed or stalled. Nothing was stored.
    #[error("the stream to be stored failed: {reason}")]
    Source {
        /// Reason, for logs.
        reason: String,
    },
    /// The object is larger than the caller's limit.
    #[error("{key} is larger than {limit} bytes")]
    TooLarge {
        /// The key of the object.
        key: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// Storage rejects the credentials. A retry doesn't help.
    #[error("object storage denied access: {reason}")]
    Denied {
        /// Reason, for logs.
        reason: String,
    },
    /// A local file could not be read or written.
    #[error("local file: {0}")]
    File(#[from] std::io::Error),
    /// The settings are invalid.
    #[error("object storage settings: {0}")]
    Settings(String),
    /// Any other error of storage.
    #[error("object storage: {reason}")]
    Other {
        /// Reason, for logs.
        reason: String,
    },
}

fn describe_received(declared: u64, received: u64) -> String {
    if received > declared { "more".into() } else { format!("only {received}") }
}

impl Error {
    /// Returns whether a retry of the same call may succeed.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Error::Unavailable { .. })
    }

    pub(super) fn unavailable(reason: impl Into<String>) -> Self {
        Error::Unavailable { reason: reason.into() }
    }

    /// Converts an error of the SDK. `key` is the requested key.
    pub(super) fn from_sdk<E>(error: SdkError<E, HttpResponse>, key: &str) -> Self
    where
        E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
    {
        let reason = chain(&error);
        let service = match &error {
            SdkError::ServiceError(service) => service,
            SdkError::ConstructionFailure(_) => return Error::Other { reason },
            _ => return Error::Unavailable { reason },
        };
        let key = key.to_owned();
        match (service.raw().status().as_u16(), service.err().code().unwrap_or_default()) {
            // Objects that may still exist are not missing: an operator has to restore their bucket.
            (_, "NoSuchBucket") => Error::Unavailable { reason },
            (404, _) | (_, "NoSuchKey" | "NotFound") => Error::NotFound { key },
            (412, _) | (_, "PreconditionFailed") => Error::PreconditionFailed { key },
            (401 | 403, _) => Error::Denied { reason },
            // 400 RequestTimeout: storage waited too long for the body.
            (408 | 429 | 500.., _) | (_, "RequestTimeout" | "SlowDown" | "InternalError") => {
                Error::Unavailable { reason }
            }
            _ => Error::Other { reason },
        }
    }
}

/// Joins an error and its causes in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}
