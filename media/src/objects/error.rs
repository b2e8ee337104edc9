use aws_sdk_s3::{
    config::http::HttpResponse,
    error::{ProvideErrorMetadata, SdkError},
};

/// What can go wrong with object storage.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such object (or bucket).
    #[error("nothing is stored at {key}")]
    NotFound {
        /// What was asked for.
        key: String,
    },
    /// The object is not the one whose ETag was given.
    #[error("what is stored at {key} has changed")]
    PreconditionFailed {
        /// Whose ETag differs.
        key: String,
    },
    /// Storage cannot be reached, is overloaded, broken or too slow. A later try may succeed.
    #[error("object storage is unavailable: {reason}")]
    Unavailable {
        /// For logs.
        reason: String,
    },
    /// A stream was shorter or longer than declared; nothing was stored.
    #[error("{declared} bytes were declared, {} came", describe_received(*declared, *received))]
    LengthMismatch {
        /// Bytes declared.
        declared: u64,
        /// Bytes seen: all of a stream that was too short, or as many as showed that it was too long.
        received: u64,
    },
    /// The stream to be stored failed or stood still; nothing was stored.
    #[error("the stream to be stored failed: {reason}")]
    Source {
        /// For logs.
        reason: String,
    },
    /// The object is larger than the caller takes.
    #[error("{key} is larger than {limit} bytes")]
    TooLarge {
        /// The object.
        key: String,
        /// Most bytes the caller takes.
        limit: u64,
    },
    /// Storage refuses these credentials. Trying again does not help; an operator does.
    #[error("object storage refuses access: {reason}")]
    Denied {
        /// For logs.
        reason: String,
    },
    /// A local file could not be read or written.
    #[error("local file: {0}")]
    File(#[from] std::io::Error),
    /// The configuration cannot work.
    #[error("object storage settings: {0}")]
    Settings(String),
    /// Anything else storage may answer.
    #[error("object storage: {reason}")]
    Other {
        /// For logs.
        reason: String,
    },
}

fn describe_received(declared: u64, received: u64) -> String {
    if received > declared { "more".into() } else { format!("only {received}") }
}

impl Error {
    /// Whether the same call may succeed later without anyone changing anything.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Error::Unavailable { .. })
    }

    pub(super) fn unavailable(reason: impl Into<String>) -> Self {
        Error::Unavailable { reason: reason.into() }
    }

    /// Sorts an answer of the SDK. `key` is what was asked for.
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
            (404, _) | (_, "NoSuchKey" | "NoSuchBucket" | "NotFound") => Error::NotFound { key },
            (412, _) | (_, "PreconditionFailed") => Error::PreconditionFailed { key },
            (401 | 403, _) => Error::Denied { reason },
            // 400 RequestTimeout: storage waited too long for a body.
            (408 | 429 | 500.., _) | (_, "RequestTimeout" | "SlowDown" | "InternalError") => {
                Error::Unavailable { reason }
            }
            _ => Error::Other { reason },
        }
    }
}

/// An error and its causes in one line.
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
