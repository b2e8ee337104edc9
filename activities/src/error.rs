//! Constructors of activity errors. Each has a type for operators and workflows, and says whether
//! Temporal retries the activity.

use std::{io, time::Duration};

use domain::{FailureCode, scan::WaitCause};
use media::{ffmpeg::FfmpegError, objects};
use perception::PerceptionError;
use temporalio_sdk::{ApplicationFailure, activities::ActivityError};

/// Type of a failure of the database.
const DATABASE: &str = "DATABASE";
/// Type of a failure of object storage.
const STORAGE: &str = "STORAGE";
/// Type of a failure of this worker's disk.
const DISK: &str = "DISK";
/// Type of the failure of an activity that had to stop.
const STOPPED: &str = "STOPPED";

/// Time until the next attempt of an activity that had to stop.
const RETRY_AFTER_STOP: Duration = Duration::from_secs(1);

/// Reason why an attempt of an activity failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Our infrastructure failed. A later attempt may succeed.
    Outage(WaitCause),
    /// The worker is shutting down, or the workflow cancelled the activity.
    Stop,
    /// Anything else that is retried, for example a panic.
    Defect,
    /// The activity is not retried.
    Final,
}

impl Ending {
    /// Returns the reason for the error of an attempt.
    pub(crate) fn of(error: &ActivityError) -> Self {
        let ActivityError::Application(failure) = error else { return Ending::Final };
        if failure.is_non_retryable() {
            return Ending::Final;
        }
        match failure.type_name() {
            Some(DATABASE) => Ending::Outage(WaitCause::DatabaseUnavailable),
            Some(STORAGE) => Ending::Outage(WaitCause::StorageUnavailable),
            Some(DISK) => Ending::Outage(WaitCause::DiskUnavailable),
            Some(STOPPED) => Ending::Stop,
            _ => Ending::Defect,
        }
    }
}

/// A failure that Temporal retries.
pub(crate) fn retry(kind: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActivityError {
    ActivityError::application(ApplicationFailure::builder(error).type_name(kind.to_owned()).build())
}

/// A lack of capacity. Temporal retries the activity after `wait`.
pub(crate) fn busy(kind: &str, message: &'static str, wait: Duration) -> ActivityError {
    let failure =
        ApplicationFailure::builder(message).type_name(kind.to_owned()).next_retry_delay(wait).build();
    ActivityError::application(failure)
}

/// The end of an activity that had to stop.
///
/// This is a failure and not a cancellation, because the SDK does not say who stopped the activity.
/// The server refuses a cancellation that the workflow did not request, and would then wait for the
/// heartbeat time-out. It does not retry a failure if the workflow did request the cancellation.
pub(crate) fn stopped() -> ActivityError {
    busy(STOPPED, "the worker is shutting down, or the workflow cancelled the activity", RETRY_AFTER_STOP)
}

/// The end of an activity whose scan ended in the meantime. Not retried, and changes nothing: the
/// scan keeps its status and failure.
pub(crate) fn scan_ended() -> ActivityError {
    let failure = ApplicationFailure::builder("the scan has ended")
        .type_name("SCAN_ENDED".to_owned())
        .non_retryable(true)
        .build();
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

/// A failure of the database, which is an outage unless our own code or data is the cause. Retried.
pub(crate) fn database(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActivityError {
    let error = error.into();
    let is_defect = error.downcast_ref::<entities::Error>().is_some_and(entities::Error::is_defect);
    retry(if is_defect { "DATA" } else { DATABASE }, error)
}

/// A failure of object storage. Retried, unless the object does not exist.
pub(crate) fn storage(error: objects::Error) -> ActivityError {
    use objects::Error;
    match error {
        Error::NotFound { .. } => give_up(FailureCode::MediaMissing, error),
        // Rejected credentials are an outage, too: only an operator can end it.
        Error::Unavailable { .. } | Error::Denied { .. } | Error::Other { .. } => retry(STORAGE, error),
        // Activities store files, so the source of a stream is a file.
        Error::File(_) | Error::Source { .. } => retry(DISK, error),
        Error::PreconditionFailed { .. }
        | Error::LengthMismatch { .. }
        | Error::TooLarge { .. }
        | Error::Settings(_) => retry("OBJECT", error),
    }
}

/// A failure of this worker's disk. Retried.
pub(crate) fn disk(error: io::Error) -> ActivityError {
    retry(DISK, error)
}

/// A failure of a stage. Not retried if the media are the cause.
pub(crate) fn perception(error: PerceptionError) -> ActivityError {
    match error.failure() {
        // The message names the file, as the errors of photos do.
        Some(code) if matches!(error, PerceptionError::Video(_)) => give_up(code, format!("video: {error}")),
        Some(code) => give_up(code, error),
        None if is_disk_full(&error) => retry(DISK, error),
        None => retry("PERCEPTION", error),
    }
}

fn is_disk_full(error: &PerceptionError) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    let (PerceptionError::Internal { source, .. }
    | PerceptionError::Video(FfmpegError::Internal { source, .. })) = error
    else {
        return false;
    };
    matches!(source.kind(), StorageFull | QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage_error(error: objects::Error) -> Ending {
        Ending::of(&storage(error))
    }

    #[test]
    fn failures_of_the_infrastructure_are_outages() {
        let reason = || "connection refused".to_owned();
        let away = Ending::Outage(WaitCause::StorageUnavailable);
        assert_eq!(storage_error(objects::Error::Unavailable { reason: reason() }), away);
        assert_eq!(storage_error(objects::Error::Denied { reason: reason() }), away);
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let disk_full = Ending::Outage(WaitCause::DiskUnavailable);
        assert_eq!(storage_error(objects::Error::File(full())), disk_full);
        assert_eq!(Ending::of(&disk(full())), disk_full);
        let writing = PerceptionError::Internal { what: "writing a frame".into(), source: full() };
        assert_eq!(Ending::of(&perception(writing)), disk_full);
        // An error of the ledger, for example, has another type.
        let unreachable = Ending::of(&database("the database cannot be reached"));
        assert_eq!(unreachable, Ending::Outage(WaitCause::DatabaseUnavailable));
    }

    #[test]
    fn defects_are_no_outages() {
        assert_eq!(Ending::of(&database(entities::Error::corrupt("a wrong status"))), Ending::Defect);
        assert_eq!(Ending::of(&retry("PANIC", "a panic")), Ending::Defect);
        let length = objects::Error::LengthMismatch { declared: 2, received: 1 };
        assert_eq!(storage_error(length), Ending::Defect);
    }

    #[test]
    fn unreadable_and_missing_media_are_final() {
        let unreadable = PerceptionError::PhotoUnreadable { ordinal: 0, reason: "truncated".into() };
        assert_eq!(Ending::of(&perception(unreadable)), Ending::Final);
        assert_eq!(storage_error(objects::Error::NotFound { key: "a".into() }), Ending::Final);
        assert_eq!(Ending::of(&scan_ended()), Ending::Final);
    }

    #[test]
    fn a_stop_is_retried_and_is_no_crash() {
        let ActivityError::Application(failure) = stopped() else { panic!("not a failure") };
        assert!(!failure.is_non_retryable());
        assert_eq!(Ending::of(&stopped()), Ending::Stop);
    }
}
