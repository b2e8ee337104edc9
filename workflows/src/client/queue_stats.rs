//! How many tasks wait in each task queue.

use std::time::Duration;

use futures::future::try_join_all;
use temporalio_client::tonic;
use temporalio_common::protos::temporal::api::{
    enums::v1::TaskQueueType,
    taskqueue::v1::{TaskQueue, TaskQueueStats},
    workflowservice::v1::{DescribeTaskQueueRequest, DescribeTaskQueueResponse},
};

use super::{Engine, EngineError, error::from_status};
use crate::queues;

/// Kind of the tasks of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskType {
    /// Workflow tasks, which run workflow code and local activities.
    Workflow,
    /// Activity tasks.
    Activity,
}

impl TaskType {
    /// Returns the name of the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            TaskType::Workflow => "workflow",
            TaskType::Activity => "activity",
        }
    }
}

/// State of a task queue, as the engine estimates it.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueStats {
    /// Name of the queue.
    pub queue: &'static str,
    /// Kind of its tasks.
    pub task_type: TaskType,
    /// Number of tasks that wait. Tasks of sticky queues, which wait for seconds, are not counted.
    pub backlog: u64,
    /// Age of the oldest of them.
    pub backlog_age: Duration,
    /// Tasks added in the last 30 s, per second.
    pub added_per_second: f64,
    /// Tasks dispatched in the last 30 s, per second.
    pub dispatched_per_second: f64,
    /// Number of workers that asked for tasks in the last minutes.
    pub pollers: u64,
}

/// Returns the kinds of tasks that a queue has.
fn task_types(queue: &str) -> &'static [TaskType] {
    match queue {
        queues::SCANS => &[TaskType::Workflow, TaskType::Activity],
        queues::UPKEEP => &[TaskType::Workflow],
        _ => &[TaskType::Activity],
    }
}

impl Engine {
    /// Returns the state of every task queue.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn queue_stats(&self) -> Result<Vec<QueueStats>, EngineError> {
        let each = queues::ALL
            .into_iter()
            .flat_map(|queue| task_types(queue).iter().map(move |task_type| (queue, *task_type)));
        try_join_all(each.map(|(queue, task_type)| async move {
            let described = self.describe_queue(queue, task_type).await?;
            let stats: TaskQueueStats = described.stats.unwrap_or_default();
            let age = stats.approximate_backlog_age.and_then(|age| Duration::try_from(age).ok());
            Ok(QueueStats {
                queue,
                task_type,
                backlog: u64::try_from(stats.approximate_backlog_count).unwrap_or(0),
                backlog_age: age.unwrap_or_default(),
                added_per_second: stats.tasks_add_rate.into(),
                dispatched_per_second: stats.tasks_dispatch_rate.into(),
                pollers: described.pollers.len() as u64,
            })
        }))
        .await
    }

    /// Returns whether a worker has asked for tasks of the queue within the last minutes.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn has_workers(&self, queue: &str) -> Result<bool, EngineError> {
        let described = self.describe_queue(queue, task_types(queue)[0]).await?;
        Ok(!described.pollers.is_empty())
    }

    async fn describe_queue(
        &self,
        queue: &str,
        task_type: TaskType,
    ) -> Result<DescribeTaskQueueResponse, EngineError> {
        let kind = match task_type {
            TaskType::Workflow => TaskQueueType::Workflow,
            TaskType::Activity => TaskQueueType::Activity,
        };
        self.with_deadline(async {
            let request = DescribeTaskQueueRequest {
                namespace: self.namespace().to_owned(),
                task_queue: Some(TaskQueue { name: queue.to_owned(), ..Default::default() }),
                task_queue_type: kind as i32,
                report_stats: true,
                ..Default::default()
            };
            let mut service = self.client().await?.connection().workflow_service();
            let described = service.describe_task_queue(tonic::Request::new(request)).await;
            Ok(described.map_err(|status| from_status(&status))?.into_inner())
        })
        .await
    }
}
