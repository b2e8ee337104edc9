//! Maps the errors of the SDK's client to the three cases that callers tell apart.

use temporalio_client::{
    errors::{WorkflowStartError, WorkflowUpdateError, WorkflowUpdateWithStartError},
    tonic,
};

/// Why a request to the engine failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine cannot be reached, or no worker responded in time. The request may have taken
    /// effect: repeat it.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The workflow has ended. Its outcome is in the database.
    #[error("the workflow has ended")]
    Closed,
    /// Any other error: a bug, a payload that does not parse, or missing permissions.
    #[error("the engine failed: {0}")]
    Internal(String),
}

/// Treats a workflow that has been started before as started.
pub(super) fn accept_already_started<T>(outcome: Result<T, WorkflowStartError>) -> Result<(), EngineError> {
    match outcome {
        Ok(_) | Err(WorkflowStartError::AlreadyStarted { .. }) => Ok(()),
        Err(WorkflowStartError::Rpc(status)) => Err(from_status(&status)),
        Err(other) => Err(EngineError::Internal(other.to_string())),
    }
}

pub(super) fn from_status(status: &tonic::Status) -> EngineError {
    use tonic::Code;
    match status.code() {
        Code::NotFound => EngineError::Closed,
        Code::InvalidArgument | Code::Unimplemented | Code::PermissionDenied | Code::Unauthenticated => {
            EngineError::Internal(status.to_string())
        }
        _ => EngineError::Unavailable(status.to_string()),
    }
}

pub(super) fn from_update(error: WorkflowUpdateWithStartError) -> EngineError {
    match error {
        WorkflowUpdateWithStartError::Start(WorkflowStartError::AlreadyStarted { .. }) => EngineError::Closed,
        WorkflowUpdateWithStartError::Start(WorkflowStartError::Rpc(status))
        | WorkflowUpdateWithStartError::Update(
            WorkflowUpdateError::Rpc(status) | WorkflowUpdateError::NotFound(status),
        )
        | WorkflowUpdateWithStartError::Rpc(status) => from_status(&status),
        // The handler fails only if its activities could not reach the database.
        WorkflowUpdateWithStartError::Update(WorkflowUpdateError::Failed(failure)) => {
            EngineError::Unavailable(failure.message)
        }
        other => EngineError::Internal(other.to_string()),
    }
}
