//! Schedules of the periodic tasks. Each has a fixed id, so the namespace has it once however many
//! processes create it.

use std::time::Duration;

use temporalio_client::{
    schedules::{CreateScheduleOptions, ScheduleAction, ScheduleError, ScheduleOverlapPolicy, ScheduleSpec},
    tonic::Code,
};

use super::{Engine, EngineError, error::from_status};
use crate::{
    UpkeepWorkflow,
    contract::{UpkeepInput, UpkeepTask},
    queues,
};

/// Rounds that are later than this are skipped, for example after an outage of the engine: the next
/// round does their work, too.
const CATCH_UP: Duration = Duration::from_secs(10);
/// The shortest interval of a schedule.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// State of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleState {
    /// It starts rounds.
    Active,
    /// An operator paused it.
    Paused,
    /// The engine does not have it.
    Missing,
}

impl Engine {
    /// Creates the schedule of a task, or updates it to this interval. Keeps a schedule paused.
    /// Idempotent. Returns whether it was created.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn put_schedule(&self, task: UpkeepTask, every: Duration) -> Result<bool, EngineError> {
        let id = task.schedule_id();
        let spec = ScheduleSpec::from_interval(every.max(MIN_INTERVAL));
        let action = ScheduleAction::start_workflow(
            UpkeepWorkflow::run,
            UpkeepInput { task },
            queues::UPKEEP,
            id.to_owned(),
        );
        self.with_deadline(async {
            let options = CreateScheduleOptions::builder()
                .action(action.clone())
                .spec(spec.clone())
                .overlap_policy(ScheduleOverlapPolicy::Skip)
                .rpc_options(self.rpc_options())
                .build();
            let is_new = match self.client().await?.create_schedule(id, options).await {
                Ok(_) => true,
                Err(ScheduleError::Rpc(status)) if status.code() == Code::AlreadyExists => false,
                Err(error) => return Err(from_schedule(&error)),
            };
            // The client sets the catch-up window, which is a year by default, only in an update.
            let handle = self.client().await?.get_schedule_handle(id);
            let update = handle.update(
                move |schedule| {
                    schedule.set_spec(spec).set_action(action);
                    schedule.set_overlap_policy(ScheduleOverlapPolicy::Skip).set_catchup_window(CATCH_UP);
                },
                self.rpc_options(),
            );
            update.await.map_err(|error| from_schedule(&error))?;
            Ok(is_new)
        })
        .await
    }

    /// Returns the state of a task's schedule.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable.
    pub async fn schedule_state(&self, task: UpkeepTask) -> Result<ScheduleState, EngineError> {
        self.with_deadline(async {
            let handle = self.client().await?.get_schedule_handle(task.schedule_id());
            match handle.describe(self.rpc_options()).await {
                Ok(schedule) if schedule.paused() => Ok(ScheduleState::Paused),
                Ok(_) => Ok(ScheduleState::Active),
                Err(ScheduleError::Rpc(status)) if status.code() == Code::NotFound => {
                    Ok(ScheduleState::Missing)
                }
                Err(error) => Err(from_schedule(&error)),
            }
        })
        .await
    }

    /// Resumes a paused schedule.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or has no such schedule.
    pub async fn resume_schedule(&self, task: UpkeepTask) -> Result<(), EngineError> {
        self.with_deadline(async {
            let handle = self.client().await?.get_schedule_handle(task.schedule_id());
            let resume = handle.update(
                |schedule| {
                    schedule.set_paused(false);
                },
                self.rpc_options(),
            );
            resume.await.map_err(|error| from_schedule(&error))
        })
        .await
    }
}

fn from_schedule(error: &ScheduleError) -> EngineError {
    match error {
        ScheduleError::Rpc(status) => from_status(status),
        other => EngineError::Internal(other.to_string()),
    }
}
