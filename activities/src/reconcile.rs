//! The reconciler: scans that the database thinks alive and whose workflow is not.
//!
//! An operator may terminate or reset a workflow, a dev server may lose its file: compensations do not
//! run then. This compares both sides now and then and mends the difference.

use std::{sync::Arc, time::Duration};

use domain::{FailureCode, ScanStatus, Timestamp, scan::ScanFailure};
use entities::{ScanRow, scans};
use tokio_util::sync::CancellationToken;
use workflows::client::{EngineError, WorkflowState};

use crate::{Parts, context::seed};

/// How often both sides are compared.
const INTERVAL: Duration = Duration::from_secs(30);
/// Scans younger than this are left to the relay.
const SETTLED: Duration = Duration::from_secs(60);
/// Scans looked at in one round, of each status.
const BATCH: u64 = 200;

/// Compares database and engine until it is stopped.
pub struct Reconciler {
    parts: Arc<Parts>,
    settled: Duration,
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
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts), settled: SETTLED }
    }

    /// The same, that looks at scans sooner: for tests.
    #[must_use]
    pub fn settled_after(self, settled: Duration) -> Self {
        Self { settled, ..self }
    }

    /// Runs until `stop` is cancelled. Trouble is logged and tried again in the next round.
    pub async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => {}
            }
            self.once().await;
        }
    }

    /// One round; says how many scans were mended.
    pub async fn once(&self) -> u32 {
        let mut mended = 0;
        for status in [ScanStatus::Queued, ScanStatus::Processing, ScanStatus::AwaitingUpload] {
            let before = Timestamp::now().minus(self.settled);
            let rows = match status {
                ScanStatus::AwaitingUpload => {
                    scans::system::list_overdue(&self.parts.db, before, BATCH).await
                }
                _ => scans::system::list_in_status(&self.parts.db, status, before, BATCH).await,
            };
            let rows = match rows {
                Ok(rows) => rows,
                Err(error) => {
                    tracing::warn!(%error, "the reconciler could not read scans");
                    continue;
                }
            };
            for scan in rows {
                match self.mend(&scan).await {
                    Ok(true) => mended += 1,
                    Ok(false) => {}
                    Err(error) => tracing::warn!(scan = %scan.id.0, %error, "not reconciled yet"),
                }
            }
        }
        mended
    }

    async fn mend(&self, scan: &ScanRow) -> Result<bool, ReconcileError> {
        let state = self.parts.engine.scan_state(&scan.id).await?;
        match (scan.status.0, state) {
            (_, WorkflowState::Running) => Ok(false),
            (ScanStatus::AwaitingUpload, _) => {
                let now = Timestamp::now();
                self.parts.db.write(async |txn| scans::cancel(&txn, &scan.id, now).await).await?;
                tracing::warn!(scan = %scan.id.0, ?state, "cancelled by the reconciler: out of time");
                Ok(true)
            }
            // The engine has forgotten it: it is told again, and every step finds what it did before.
            (_, WorkflowState::Missing) => {
                let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
                self.parts.engine.start_scan(&seed(scan), key_id).await?;
                tracing::warn!(scan = %scan.id.0, "its workflow was missing; told the engine again");
                Ok(true)
            }
            (_, WorkflowState::Terminated | WorkflowState::Ended) => {
                self.fail(scan, state).await?;
                Ok(true)
            }
        }
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
