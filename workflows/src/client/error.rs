//! What the engine's refusals and silences mean to us.

use temporalio_client::{
    errors::{WorkflowStartError, WorkflowUpdateError, WorkflowUpdateWithStartError},
    tonic,
};

/// Why the engine did not answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It cannot be reached, or no worker answers in time. What was asked may have happened: ask again.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The workflow has ended already: the database knows how.
    #[error("the workflow has ended")]
    Closed,
    /// Anything else: a bug, or a payload that does not parse.
    #[error("the engine failed: {0}")]
    Internal(String),
}

/// A workflow that is there already is as good as one that was started now.
pub(super) fn started<T>(outcome: Result<T, WorkflowStartError>) -> Result<(), EngineError> {
    match outcome {
        Ok(_) | Err(WorkflowStartError::AlreadyStarted { .. }) => Ok(()),
        Err(WorkflowStartError::Rpc(status)) => Err(of_status(&status)),
        Err(other) => Err(EngineError::Internal(other.to_string())),
    }
}

pub(super) fn of_status(status: &tonic::Status) -> EngineError {
    use tonic::Code;
    match status.code() {
        Code::NotFound => EngineError::Closed,
        Code::InvalidArgument | Code::Unimplemented | Code::PermissionDenied | Code::Unauthenticated => {
            EngineError::Internal(status.to_string())
        }
        _ => EngineError::Unavailable(status.to_string()),
    }
}

pub(super) fn of_update(error: WorkflowUpdateWithStartError) -> EngineError {
    match error {
        WorkflowUpdateWithStartError::Start(WorkflowStartError::AlreadyStarted { .. }) => EngineError::Closed,
        WorkflowUpdateWithStartError::Start(WorkflowStartError::Rpc(status))
        | WorkflowUpdateWithStartError::Update(
            WorkflowUpdateError::Rpc(status) | WorkflowUpdateError::NotFound(status),
        )
        | WorkflowUpdateWithStartError::Rpc(status) => of_status(&status),
        // The handler's activities could not reach the database: nothing was decided.
        WorkflowUpdateWithStartError::Update(WorkflowUpdateError::Failed(failure)) => {
            EngineError::Unavailable(failure.message)
        }
        other => EngineError::Internal(other.to_string()),
    }
}
