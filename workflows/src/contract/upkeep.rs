//! The activity that runs one round of a periodic task.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// A task that runs periodically, once for all workers of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpkeepTask {
    /// Repairs scans and deliveries whose workflow has recently ended without ending them.
    Reconcile,
    /// Compares every open scan and every overdue delivery with the engine.
    ReconcileAll,
    /// Deletes rows whose retention is over.
    Sweep,
    /// Compares the bank's payments with the ledger, once a day.
    DailyReconciliation,
}

impl UpkeepTask {
    /// Every task.
    pub const ALL: [UpkeepTask; 4] =
        [UpkeepTask::Reconcile, UpkeepTask::ReconcileAll, UpkeepTask::Sweep, UpkeepTask::DailyReconciliation];

    /// Returns the id of the task's schedule, and the beginning of the ids of its workflows. It must
    /// never change: a renamed schedule would run beside the old one.
    pub const fn schedule_id(self) -> &'static str {
        match self {
            UpkeepTask::Reconcile => "upkeep:reconcile",
            UpkeepTask::ReconcileAll => "upkeep:reconcile-all",
            UpkeepTask::Sweep => "upkeep:sweep",
            UpkeepTask::DailyReconciliation => "upkeep:daily-reconciliation",
        }
    }
}

/// Input of [`crate::UpkeepWorkflow`] and of `run_upkeep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpkeepInput {
    /// The task.
    pub task: UpkeepTask,
}

/// Output of `run_upkeep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpkeepOutput {
    /// Number of things that the round changed: repaired scans and deliveries, deleted rows, or
    /// credited payments.
    pub changes: u64,
}

/// Marker of the upkeep activity.
#[derive(Debug)]
pub struct Upkeep;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Upkeep {
    /// Runs one round of a periodic task. Idempotent.
    #[activity(name = "run_upkeep")]
    pub fn run_upkeep(_input: UpkeepInput) -> Result<UpkeepOutput, ActivityError> {
        unimplemented!()
    }
}

pub use upkeep::RunUpkeep;
