//! The activity that runs one round of a periodic task. A schedule of the engine starts the rounds.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

use std::{sync::Arc, time::Duration};

use domain::Timestamp;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::{
    client::EngineError,
    contract::{self, UpkeepInput, UpkeepOutput, UpkeepTask},
};

use crate::{
    DailyReconciliation, Dependencies, Reconciler, Sweeper, check_ledger,
    error::{database, retry},
    failpoint,
    heartbeat::with_heartbeats,
    retention,
};

/// How long the engine keeps the histories of finished rounds. The rounds of a day are enough to see
/// that the tasks run, and the engine's own retention would keep tens of thousands.
const KEPT_ROUNDS: Duration = Duration::from_secs(24 * 60 * 60);

/// Implements `workflows::contract::Upkeep`.
pub struct UpkeepActivities {
    pub(crate) deps: Arc<Dependencies>,
}

#[activities]
impl UpkeepActivities {
    /// Runs one round of a periodic task.
    #[activity(definition = contract::RunUpkeep)]
    pub async fn run_upkeep(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: UpkeepInput,
    ) -> Result<UpkeepOutput, ActivityError> {
        let task = input.task.schedule_id();
        failpoint::around("run_upkeep", task, async {
            let changes = with_heartbeats(&ctx, self.run_round(input.task)).await??;
            if changes > 0 {
                tracing::info!(task, changes, "finished a round");
            }
            Ok(UpkeepOutput { changes })
        })
        .await
    }
}

impl UpkeepActivities {
    /// Runs a round, and returns the number of changes.
    async fn run_round(&self, task: UpkeepTask) -> Result<u64, ActivityError> {
        let (deps, now) = (&self.deps, Timestamp::now());
        match task {
            UpkeepTask::Reconcile => self.reconciler().repair_recent(now).await.map_err(reconciliation),
            UpkeepTask::ReconcileAll => self.reconciler().repair_all(now).await.map_err(reconciliation),
            UpkeepTask::Sweep => {
                let settings = retention::Settings { scans: deps.scans.clone(), retention: deps.retention };
                let rows = Sweeper::new(deps.db.clone(), settings).run_once(now).await.map_err(database)?;
                self.delete_finished_rounds(now).await.map_err(reconciliation)?;
                Ok(rows)
            }
            UpkeepTask::DailyReconciliation => {
                check_ledger(&deps.db, now).await.map_err(|error| retry("LEDGER", error))?;
                let reconciliation = DailyReconciliation::new(deps.db.clone(), deps.banks.clone());
                let report = reconciliation.run_once(now).await.map_err(|error| retry("PAYMENT", error))?;
                Ok(report.map_or(0, |report| report.credited.len() as u64))
            }
        }
    }

    fn reconciler(&self) -> Reconciler {
        let Dependencies { db, engine, retries, scans, reconciler, .. } = self.deps.as_ref();
        let new = Reconciler::new(db.clone(), engine.clone(), *retries, scans.max_outage(), *reconciler);
        new.with_metrics(self.deps.metrics.clone())
    }

    /// Deletes the histories of rounds that finished a day ago.
    async fn delete_finished_rounds(&self, now: Timestamp) -> Result<(), EngineError> {
        let finished = self.deps.engine.list_finished_rounds(now.minus(KEPT_ROUNDS)).await?;
        for round in &finished.workflows {
            self.deps.engine.delete_run(round).await?;
        }
        Ok(())
    }
}

fn reconciliation(error: impl std::error::Error + Send + Sync + 'static) -> ActivityError {
    tracing::warn!(%error, "a round failed and will be repeated");
    retry("UPKEEP", error)
}
