//! Reads what is needed to find out why work does not move.

use std::time::Duration;

use domain::{RequestId, ScanId, Timestamp};
use temporalio_client::{WorkflowStartOptions, tonic};
use temporalio_common::protos::temporal::api::{
    enums::v1::TaskQueueType, taskqueue::v1::TaskQueue, workflowservice::v1::DescribeTaskQueueRequest,
};

use super::{Engine, EngineError, error::from_status};
use crate::{
    UpkeepWorkflow,
    contract::{UpkeepInput, UpkeepTask},
    queues, scan_workflow_id,
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

    /// Returns whether a worker has asked for tasks of the queue within the last minutes.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn has_workers(&self, queue: &str) -> Result<bool, EngineError> {
        // The other queues have only activities.
        let has_workflows = [queues::SCANS, queues::UPKEEP].contains(&queue);
        let kind = if has_workflows { TaskQueueType::Workflow } else { TaskQueueType::Activity };
        self.with_deadline(async {
            let request = DescribeTaskQueueRequest {
                namespace: self.namespace().to_owned(),
                task_queue: Some(TaskQueue { name: queue.to_owned(), ..Default::default() }),
                task_queue_type: kind as i32,
                ..Default::default()
            };
            let mut service = self.client().await?.connection().workflow_service();
            let described = service.describe_task_queue(tonic::Request::new(request)).await;
            Ok(!described.map_err(|status| from_status(&status))?.into_inner().pollers.is_empty())
        })
        .await
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
