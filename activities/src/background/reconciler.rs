//! Repairs scans and deliveries that are open in the database although their workflow is not
//! running.
//!
//! That happens when an operator terminates or resets a workflow, or when a dev server loses its
//! database file: compensations don't run then. The reconciler compares database and engine
//! periodically.

use std::{sync::Arc, time::Duration};

use domain::{FailureCode, ScanStatus, Timestamp, scan::ScanFailure};
use entities::{
    DeliveryRow, ScanRow, scans,
    webhook_deliveries::{self, Verdict},
};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use workflows::client::{EngineError, WorkflowState};

use super::Schedule;
use crate::{
    Dependencies,
    dependencies::seed_of,
    webhooks::{delivery_input, start_delivery},
};

/// Maximum number of scans of each status, and of deliveries, that one run checks.
const BATCH: u64 = 200;

/// Settings of the comparison of database and engine.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReconcilerSettings {
    /// Time between two runs, in seconds.
    pub every_seconds: u64,
    /// Rows that changed within this time are skipped, in seconds: the relay or the workflow is
    /// still working on them.
    pub settled_after_seconds: u64,
}

impl Default for ReconcilerSettings {
    fn default() -> Self {
        Self { every_seconds: 30, settled_after_seconds: 60 }
    }
}

/// The background task that compares database and engine.
pub struct Reconciler {
    deps: Arc<Dependencies>,
    settings: ReconcilerSettings,
}

#[derive(Debug, thiserror::Error)]
enum ReconcileError {
    #[error(transparent)]
    Database(#[from] entities::Error),
    #[error(transparent)]
    Ledger(#[from] ledger::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Reconciler {
    /// Creates the task.
    pub fn new(deps: Dependencies, settings: ReconcilerSettings) -> Self {
        Self { deps: Arc::new(deps), settings }
    }

    /// Runs until `stop` is cancelled. Errors are logged, and the next run tries again.
    pub async fn run(self, stop: CancellationToken) {
        let period = Duration::from_secs(self.settings.every_seconds.max(1));
        let mut schedule = Schedule::every(period, stop);
        while schedule.tick().await {
            self.run_once().await;
        }
    }

    async fn run_once(&self) {
        let unchanged_since =
            Timestamp::now().minus(Duration::from_secs(self.settings.settled_after_seconds));
        for status in [ScanStatus::Queued, ScanStatus::Processing, ScanStatus::AwaitingUpload] {
            let rows = match status {
                ScanStatus::AwaitingUpload => {
                    scans::system::list_overdue(&self.deps.db, unchanged_since, BATCH).await
                }
                _ => scans::system::list_in_status(&self.deps.db, status, unchanged_since, BATCH).await,
            };
            for scan in rows_or_log("scans", rows) {
                if let Err(error) = self.reconcile_scan(&scan).await {
                    tracing::warn!(scan = %scan.id.0, %error, "failed to reconcile a scan");
                }
            }
        }
        let overdue = webhook_deliveries::system::list_overdue(&self.deps.db, unchanged_since, BATCH).await;
        for delivery in rows_or_log("deliveries", overdue) {
            if let Err(error) = self.reconcile_delivery(&delivery).await {
                let (event, endpoint) = (&delivery.event_id.0, &delivery.endpoint_id.0);
                tracing::warn!(%event, %endpoint, %error, "failed to reconcile a delivery");
            }
        }
    }

    async fn reconcile_scan(&self, scan: &ScanRow) -> Result<(), ReconcileError> {
        let state = self.deps.engine.scan_state(&scan.id).await?;
        match (scan.status.0, state) {
            (_, WorkflowState::Running) => {}
            (ScanStatus::AwaitingUpload, _) => {
                let now = Timestamp::now();
                self.deps.db.write(async |txn| scans::cancel(&txn, &scan.id, now).await).await?;
                tracing::warn!(scan = %scan.id.0, ?state, "cancelled a scan whose deadline has passed");
            }
            // The engine lost the workflow. Start it again: its activities are idempotent.
            (_, WorkflowState::Missing) => {
                let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
                self.deps.engine.start_scan(&seed_of(scan), key_id).await?;
                tracing::warn!(scan = %scan.id.0, "started a scan's missing workflow again");
            }
            (_, WorkflowState::Terminated | WorkflowState::Ended) => self.fail_scan(scan, state).await?,
        }
        Ok(())
    }

    /// Repairs a delivery whose next attempt is overdue. A missing workflow is started again. If
    /// the workflow has ended (an operator terminated it), the delivery is abandoned; the
    /// endpoint's owner can request a redelivery.
    async fn reconcile_delivery(&self, delivery: &DeliveryRow) -> Result<(), ReconcileError> {
        let round = delivery.last_round();
        let state = self.deps.engine.delivery_state(&delivery_input(&self.deps, &round)).await?;
        match state {
            WorkflowState::Running => return Ok(()),
            WorkflowState::Missing => start_delivery(&self.deps, &round).await?,
            WorkflowState::Terminated | WorkflowState::Ended => {
                let now = Timestamp::now();
                let abandon = async |txn| {
                    webhook_deliveries::system::finish(&txn, &round, Verdict::Abandoned, now).await
                };
                self.deps.db.write(abandon).await?;
            }
        }
        tracing::warn!(event = %round.event, endpoint = %round.endpoint, ?state, "repaired a delivery without a running workflow");
        Ok(())
    }

    /// Fails and refunds a scan whose workflow ended without doing so. The transaction reads the
    /// row again, so it does not touch a scan that ended a moment ago.
    async fn fail_scan(&self, scan: &ScanRow, state: WorkflowState) -> Result<(), ReconcileError> {
        let code =
            if state == WorkflowState::Terminated { FailureCode::Cancelled } else { FailureCode::Internal };
        let failure = ScanFailure {
            code,
            message: code.message().to_owned(),
            stage: scan.stage.map(|s| s.0),
            retryable: code.retryable(),
        };
        ledger::fail_scan(&self.deps.db, &scan.id, &failure, Timestamp::now()).await?;
        tracing::warn!(scan = %scan.id.0, ?state, "failed and refunded a scan without a running workflow");
        Ok(())
    }
}

/// Returns the rows. Logs an error and returns no rows; the next run reads again.
fn rows_or_log<T>(what: &str, rows: entities::Result<Vec<T>>) -> Vec<T> {
    rows.unwrap_or_else(|error| {
        tracing::warn!(%error, "the reconciler failed to read {what}");
        Vec::new()
    })
}
