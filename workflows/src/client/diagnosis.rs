//! Reads what is needed to find out why work does not move.

use std::time::Duration;

use domain::{RequestId, ScanId, Timestamp};
use temporalio_client::WorkflowStartOptions;

use super::{Engine, EngineError};
use crate::{
    UpkeepWorkflow,
    contract::{UpkeepInput, UpkeepTask},
    scan_workflow_id,
};

/// A queue that no worker serves.
const UNSERVED_QUEUE: &str = "scan-clock";
/// Time after which the engine ends a workflow whose deletion failed.
const CLOCK_TIMEOUT: Duration = Duration::from_secs(10);

impl Engine {
    /// Returns the number of attempts of the pending workflow task of a scan's workflow: 0 if no task
    /// is pending, and more than 1 if workers fail to process it.
    ///
    /// # Errors
    /// Returns [`EngineError::Closed`] if the engine has no such workflow, or an error if the engine
    /// is unavailable.
    pub async fn scan_task_attempts(&self, scan: &ScanId) -> Result<u32, EngineError> {
        let description = self.describe(scan_workflow_id(scan)).await?.ok_or(EngineError::Closed)?;
        let task = description.raw().pending_workflow_task.as_ref();
        Ok(task.and_then(|task| u32::try_from(task.attempt).ok()).unwrap_or(0))
    }

    /// Returns the engine's time. The engine has no request for it, so this starts a workflow on a
    /// queue that no worker serves, reads the time of its start, and deletes it.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn time(&self) -> Result<Timestamp, EngineError> {
        let id = format!("clock:{}", RequestId::new());
        let options = WorkflowStartOptions::new(UNSERVED_QUEUE, id.clone())
            .run_timeout(CLOCK_TIMEOUT)
            .static_summary("reads the engine's clock".to_owned())
            .rpc_options(self.rpc_options())
            .build();
        let input = UpkeepInput { task: UpkeepTask::Reconcile };
        self.start(UpkeepWorkflow::run, input, options).await?;
        let described = self.describe(id.clone()).await;
        self.delete(&id, "").await?;
        let description = described?.ok_or(EngineError::Closed)?;
        description
            .start_time()
            .map(Timestamp::from)
            .ok_or_else(|| EngineError::Internal("the workflow has no time of start".to_owned()))
    }
}
