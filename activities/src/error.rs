//! Constructors of activity errors. Each has a type for operators and workflows, and says whether
//! Temporal retries the activity.

use std::time::Duration;

use domain::FailureCode;
use perception::PerceptionError;
use temporalio_sdk::{ApplicationFailure, activities::ActivityError};

/// A failure of a dependency (database, storage, disk). Temporal retries the activity.
pub(crate) fn retry(kind: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActivityError {
    ActivityError::application(ApplicationFailure::builder(error).type_name(kind.to_owned()).build())
}

/// A lack of capacity. Temporal retries the activity after `wait`.
pub(crate) fn busy(kind: &str, message: &'static str, wait: Duration) -> ActivityError {
    let failure =
        ApplicationFailure::builder(message).type_name(kind.to_owned()).next_retry_delay(wait).build();
    ActivityError::application(failure)
}

/// A failure that a retry cannot fix. It fails the scan with this code.
pub(crate) fn give_up(
    code: FailureCode,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> ActivityError {
    let failure =
        ApplicationFailure::builder(error).type_name(code.as_str().to_owned()).non_retryable(true).build();
    ActivityError::application(failure)
}

/// A failure of the database. Retried.
pub(crate) fn database(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActivityError {
    retry("DATABASE", error)
}

/// A failure of object storage. Retried, unless the object does not exist.
pub(crate) fn storage(error: media::objects::Error) -> ActivityError {
    match error {
        media::objects::Error::NotFound { .. } => give_up(FailureCode::MediaMissing, error),
        other => retry("STORAGE", other),
    }
}

/// A failure of this worker's disk. Retried.
pub(crate) fn disk(error: std::io::Error) -> ActivityError {
    retry("DISK", error)
}

/// A failure of a stage. Not retried if the media are the cause.
pub(crate) fn perception(error: PerceptionError) -> ActivityError {
    match error.failure() {
        Some(code) => give_up(code, error),
        None => retry("PERCEPTION", error),
    }
}
