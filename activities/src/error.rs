//! How activities fail, as operators and the workflow see it: every failure is typed, and says
//! whether trying again can help.

use std::time::Duration;

use domain::FailureCode;
use perception::PerceptionError;
use temporalio_sdk::{ApplicationFailure, activities::ActivityError};

/// Something around us did not work (database, storage, disk): try again.
pub(crate) fn retry(kind: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActivityError {
    ActivityError::application(ApplicationFailure::builder(error).type_name(kind.to_owned()).build())
}

/// There is no room for it now: try again after `wait`.
pub(crate) fn busy(kind: &str, message: &'static str, wait: Duration) -> ActivityError {
    let failure =
        ApplicationFailure::builder(message).type_name(kind.to_owned()).next_retry_delay(wait).build();
    ActivityError::application(failure)
}

/// The scan cannot succeed, however often it is tried.
pub(crate) fn give_up(
    code: FailureCode,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> ActivityError {
    let failure =
        ApplicationFailure::builder(error).type_name(code.as_str().to_owned()).non_retryable(true).build();
    ActivityError::application(failure)
}

/// The database did not do what was asked.
pub(crate) fn database(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActivityError {
    retry("DATABASE", error)
}

/// Storage did not do what was asked. What is missing there will not come back.
pub(crate) fn storage(error: media::objects::Error) -> ActivityError {
    match error {
        media::objects::Error::NotFound { .. } => give_up(FailureCode::MediaMissing, error),
        other => retry("STORAGE", other),
    }
}

/// The disk of this worker did not do what was asked.
pub(crate) fn disk(error: std::io::Error) -> ActivityError {
    retry("DISK", error)
}

/// The media, or the looking at them.
pub(crate) fn perception(error: PerceptionError) -> ActivityError {
    match error.failure() {
        Some(code) => give_up(code, error),
        None => retry("PERCEPTION", error),
    }
}
