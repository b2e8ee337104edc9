//! The reconciler: scans and deliveries that the database thinks alive and whose workflow is not.
//!
//! An operator may terminate or reset a workflow, a dev server may lose its file: compensations do not
//! run then. This compares both sides now and then and mends the difference.

use std::{sync::Arc, time::Duration};

use domain::{FailureCode, ScanStatus, Timestamp, scan::ScanFailure};
use entities::{
    DeliveryRow, ScanRow, scans,
    webhook_deliveries::{self, Verdict},
};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use workflows::client::{EngineError, WorkflowState};

use crate::{Parts, context::seed, events};

/// Scans looked at in one round, of each status; and deliveries.
const BATCH: u64 = 200;

/// When database and engine are compared.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReconcilerSettings {
    /// How often, in seconds.
    pub every_seconds: u64,
    /// What changed within so many seconds is left to the relay and to its workflow.
    pub settled_after_seconds: u64,
}

impl Default for ReconcilerSettings {
    fn default() -> Self {
        Self { every_seconds: 30, settled_after_seconds: 60 }
    }
}

/// Compares database and engine until it is stopped.
pub struct Reconciler {
    parts: Arc<Parts>,
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
    /// A reconciler over these parts.
    pub fn new(parts: Parts, settings: ReconcilerSettings) -> Self {
        Self { parts: Arc::new(parts), settings }
    }

    /// Runs until `stop` is cancelled. Trouble is logged and tried again in the next round.
    pub async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(Duration::from_secs(self.settings.every_seconds.max(1)));
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => {}
            }
            self.once().await;
        }
    }

    async fn once(&self) {
        let settled = Timestamp::now().minus(Duration::from_secs(self.settings.settled_after_seconds));
        for status in [ScanStatus::Queued, ScanStatus::Processing, ScanStatus::AwaitingUpload] {
            let rows = match status {
                ScanStatus::AwaitingUpload => {
                    scans::system::list_overdue(&self.parts.db, settled, BATCH).await
                }
                _ => scans::system::list_in_status(&self.parts.db, status, settled, BATCH).await,
            };
            for scan in read("scans", rows) {
                if let Err(error) = self.mend(&scan).await {
                    tracing::warn!(scan = %scan.id.0, %error, "not reconciled yet");
                }
            }
        }
        let overdue = webhook_deliveries::system::list_overdue(&self.parts.db, settled, BATCH).await;
        for delivery in read("deliveries", overdue) {
            if let Err(error) = self.mend_delivery(&delivery).await {
                let (event, endpoint) = (&delivery.event_id.0, &delivery.endpoint_id.0);
                tracing::warn!(%event, %endpoint, %error, "not reconciled yet");
            }
        }
    }

    async fn mend(&self, scan: &ScanRow) -> Result<(), ReconcileError> {
        let state = self.parts.engine.scan_state(&scan.id).await?;
        match (scan.status.0, state) {
            (_, WorkflowState::Running) => {}
            (ScanStatus::AwaitingUpload, _) => {
                let now = Timestamp::now();
                self.parts.db.write(async |txn| scans::cancel(&txn, &scan.id, now).await).await?;
                tracing::warn!(scan = %scan.id.0, ?state, "cancelled by the reconciler: out of time");
            }
            // The engine has forgotten it: it is told again, and every step finds what it did before.
            (_, WorkflowState::Missing) => {
                let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
                self.parts.engine.start_scan(&seed(scan), key_id).await?;
                tracing::warn!(scan = %scan.id.0, "its workflow was missing; told the engine again");
            }
            (_, WorkflowState::Terminated | WorkflowState::Ended) => self.fail(scan, state).await?,
        }
        Ok(())
    }

    /// Its attempt is overdue. Where the engine forgot it, it begins again; where its workflow ended without it
    /// (an operator's terminate), it is given up, and its owner can ask for it again.
    async fn mend_delivery(&self, delivery: &DeliveryRow) -> Result<(), ReconcileError> {
        let round = delivery.last_round();
        let state = self.parts.engine.delivery_state(&events::delivery(&self.parts, &round)).await?;
        match state {
            WorkflowState::Running => return Ok(()),
            WorkflowState::Missing => events::start(&self.parts, &round).await?,
            WorkflowState::Terminated | WorkflowState::Ended => {
                let now = Timestamp::now();
                let give_up = async |txn| {
                    webhook_deliveries::system::finish(&txn, &round, Verdict::Abandoned, now).await
                };
                self.parts.db.write(give_up).await?;
            }
        }
        tracing::warn!(event = %round.event, endpoint = %round.endpoint, ?state, "a delivery without its workflow: mended");
        Ok(())
    }

    /// The workflow ended without the scan: the refund it owed is made here. The row is read again in
    /// the transaction, so a scan that ended a moment ago is left as it is.
    async fn fail(&self, scan: &ScanRow, state: WorkflowState) -> Result<(), ReconcileError> {
        let code =
            if state == WorkflowState::Terminated { FailureCode::Cancelled } else { FailureCode::Internal };
        let failure = ScanFailure {
            code,
            message: code.message().to_owned(),
            stage: scan.stage.map(|s| s.0),
            retryable: code.retryable(),
        };
        ledger::fail_scan(&self.parts.db, &scan.id, &failure, Timestamp::now()).await?;
        tracing::warn!(scan = %scan.id.0, ?state, "failed and refunded by the reconciler");
        Ok(())
    }
}

/// What was read; trouble is logged, and the next round reads again.
fn read<T>(what: &str, rows: entities::Result<Vec<T>>) -> Vec<T> {
    rows.unwrap_or_else(|error| {
        tracing::warn!(%error, "the reconciler could not read {what}");
        Vec::new()
    })
}
