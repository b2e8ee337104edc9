//! Keeps the schedules of the periodic tasks in the engine.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use workflows::{
    client::{Engine, EngineError, ScheduleState},
    contract::UpkeepTask,
};

use super::{ReconcilerSettings, Schedule};

/// Time between two checks whether the engine still has the schedules. An engine that lost its
/// database has none.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Intervals of the periodic tasks. `[reconciler]` has those of the reconciler.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UpkeepSettings {
    /// Time between two rounds that delete rows whose retention is over, in seconds.
    pub sweep_every_seconds: u64,
    /// Time between two checks whether today's comparison of bank and ledger is missing, in seconds.
    pub daily_reconciliation_every_seconds: u64,
}

impl Default for UpkeepSettings {
    fn default() -> Self {
        Self { sweep_every_seconds: 60 * 60, daily_reconciliation_every_seconds: 10 * 60 }
    }
}

/// The schedules of the periodic tasks. The engine has each once, also if several processes create
/// it.
pub struct UpkeepSchedules {
    engine: Engine,
    reconciler: ReconcilerSettings,
    upkeep: UpkeepSettings,
    check_interval: Duration,
}

impl UpkeepSchedules {
    /// Creates the task.
    pub fn new(engine: Engine, reconciler: ReconcilerSettings, upkeep: UpkeepSettings) -> Self {
        Self { engine, reconciler, upkeep, check_interval: CHECK_INTERVAL }
    }

    /// Sets the time between two checks for lost schedules. Tests shorten it.
    #[must_use]
    pub fn checked_every(self, check_interval: Duration) -> Self {
        Self { check_interval, ..self }
    }

    /// Creates the schedules, or updates them to the settings of this process. Then creates those
    /// again that the engine has lost, until `stop` is cancelled. Errors are logged.
    pub async fn run(self, stop: CancellationToken) {
        let mut checks = Schedule::every(self.check_interval, stop);
        let mut are_current = false;
        while checks.tick().await {
            let done = if are_current { self.put_missing().await } else { self.put_all().await };
            match done {
                Ok(()) => are_current = true,
                Err(error) => tracing::warn!(%error, "failed to check the schedules of periodic tasks"),
            }
        }
    }

    /// Creates the schedules, or updates them to these settings. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn put_all(&self) -> Result<(), EngineError> {
        for task in UpkeepTask::ALL {
            self.put(task).await?;
        }
        Ok(())
    }

    /// Creates one schedule, or updates it to these settings. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the engine is unavailable or rejects the request.
    pub async fn put(&self, task: UpkeepTask) -> Result<(), EngineError> {
        self.engine.put_schedule(task, self.interval(task)).await.map(drop)
    }

    /// Creates the schedules that the engine does not have.
    async fn put_missing(&self) -> Result<(), EngineError> {
        for task in UpkeepTask::ALL {
            if self.engine.schedule_state(task).await? == ScheduleState::Missing {
                self.put(task).await?;
                tracing::warn!(schedule = task.schedule_id(), "created a schedule that the engine had lost");
            }
        }
        Ok(())
    }

    const fn interval(&self, task: UpkeepTask) -> Duration {
        Duration::from_secs(match task {
            UpkeepTask::Reconcile => self.reconciler.every_seconds,
            UpkeepTask::ReconcileAll => self.reconciler.full_every_seconds,
            UpkeepTask::Sweep => self.upkeep.sweep_every_seconds,
            UpkeepTask::DailyReconciliation => self.upkeep.daily_reconciliation_every_seconds,
        })
    }
}
