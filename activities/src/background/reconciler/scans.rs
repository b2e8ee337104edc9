//! Defects of scans and their repairs.

use domain::{
    FailureCode, ScanStatus, Stage, Timestamp,
    scan::{CancelOutcome, ScanFailure},
};
use entities::{ScanRow, scans};
use ledger::FailOutcome;
use workflows::{
    client::{ListedWorkflow, WorkflowState},
    queues,
};

use super::{Defect, ReconcileError, Reconciler, Repair, ScanDefect};

/// Number of attempts of a workflow task from which it counts as failing. A worker that stops or
/// crashes causes one or two.
const FAILING_ATTEMPTS: u32 = 3;

impl Reconciler {
    /// Describes the workflow of an open scan that has no running workflow by the engine's index.
    pub(super) async fn scan_without_workflow(
        &self,
        scan: ScanRow,
    ) -> Result<Option<Defect>, ReconcileError> {
        let state = self.engine.scan_state(&scan.id).await?;
        let defect = match (scan.status.0, state) {
            (_, WorkflowState::Running) => return Ok(None),
            (_, WorkflowState::Terminated) => ScanDefect::WorkflowTerminated,
            (_, WorkflowState::Ended) => ScanDefect::WorkflowEnded,
            (ScanStatus::AwaitingUpload, WorkflowState::Missing) if !scan.is_open(Timestamp::now()) => {
                ScanDefect::Overdue
            }
            (_, WorkflowState::Missing) => ScanDefect::WorkflowMissing,
        };
        // The scan may have ended after its row was read and before its workflow was described.
        let current = scans::system::find(&self.db, &scan.id).await?;
        let current = current.filter(|current| current.status == scan.status);
        Ok(current.map(|scan| Defect::Scan(Box::new(scan), defect)))
    }

    /// Finds what is wrong with a scan whose workflow is running, except why it does not move.
    pub(super) fn running_scan_defect(
        &self,
        scan: &ScanRow,
        workflow: &ListedWorkflow,
        now: Timestamp,
    ) -> Option<ScanDefect> {
        let waits_for_start = workflow.scan_status.as_deref() == Some(ScanStatus::AwaitingUpload.as_str());
        let idle = now.since(scan.idle_since()?);
        (waits_for_start && idle >= self.settings.settled_after()).then_some(ScanDefect::StartUnknown)
    }

    /// Returns whether a scan must be refunded because it has not moved for too long. The step that it
    /// waits for gives up by itself at the same time, so the reconciler waits a little longer.
    pub(super) fn is_stuck(&self, scan: &ScanRow, now: Timestamp) -> bool {
        let limit = self.max_outage + self.settings.settled_after();
        scan.idle_since().is_some_and(|since| now.since(since) >= limit)
    }

    /// Returns whether it is time to look into why a scan does not move.
    pub(super) fn is_stalled(&self, scan: &ScanRow, now: Timestamp) -> bool {
        scan.idle_since().is_some_and(|since| now.since(since) >= self.settings.stalled_after())
    }

    /// Finds out why a scan with a running workflow does not move. A scan that waits for a busy
    /// worker, or for storage, has no defect.
    pub(super) async fn why_stalled(&self, scan: ScanRow) -> Result<Option<Defect>, ReconcileError> {
        let attempts = self.engine.scan_task_attempts(&scan.id).await?;
        let queue = queue_of(scan.stage.map(|stage| stage.0));
        let defect = if attempts >= FAILING_ATTEMPTS {
            ScanDefect::TaskFailing { attempts }
        } else if self.engine.has_workers(queue).await? {
            return Ok(None);
        } else {
            ScanDefect::QueueWithoutWorker { queue }
        };
        Ok(Some(Defect::Scan(Box::new(scan), defect)))
    }

    pub(super) async fn repair_scan(
        &self,
        scan: &ScanRow,
        defect: &ScanDefect,
        now: Timestamp,
    ) -> Result<Repair, ReconcileError> {
        let awaits_upload = scan.status.0 == ScanStatus::AwaitingUpload;
        match defect {
            ScanDefect::TaskFailing { .. } | ScanDefect::QueueWithoutWorker { .. } => Ok(Repair::NotPossible),
            ScanDefect::WorkflowMissing if awaits_upload => {
                self.engine.ensure_scan(&scan.seed()).await?;
                Ok(Repair::Restarted)
            }
            // Its activities are idempotent, and the charge returns its first outcome.
            ScanDefect::WorkflowMissing | ScanDefect::StartUnknown => {
                let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
                self.engine.start_scan(&scan.seed(), key_id).await?;
                Ok(Repair::Restarted)
            }
            ScanDefect::Overdue | ScanDefect::WorkflowTerminated | ScanDefect::WorkflowEnded
                if awaits_upload =>
            {
                let outcome = self.db.write(async |txn| scans::cancel(&txn, &scan.id, now).await).await?;
                Ok(if outcome == CancelOutcome::Cancelled { Repair::Cancelled } else { Repair::Nothing })
            }
            ScanDefect::WorkflowTerminated => self.fail_scan(scan, FailureCode::Cancelled, now).await,
            ScanDefect::Overdue | ScanDefect::WorkflowEnded => {
                self.fail_scan(scan, FailureCode::Internal, now).await
            }
            ScanDefect::Stuck => {
                let repair = self.fail_scan(scan, FailureCode::Internal, now).await?;
                // The workflow has nothing left to do. It may never run again by itself.
                let reason = "the scan made no progress for too long, and was refunded";
                self.engine.terminate_scan(&scan.id, reason).await?;
                Ok(repair)
            }
        }
    }

    async fn fail_scan(
        &self,
        scan: &ScanRow,
        code: FailureCode,
        now: Timestamp,
    ) -> Result<Repair, ReconcileError> {
        let failure = ScanFailure {
            code,
            message: code.message().to_owned(),
            stage: scan.stage.map(|s| s.0),
            retryable: code.retryable(),
        };
        let outcome = ledger::fail_scan(&self.db, &scan.id, &failure, now).await?;
        if !matches!(outcome, FailOutcome::Failed { .. }) {
            return Ok(Repair::Nothing);
        }
        self.metrics.record_refund(code);
        Ok(Repair::Refunded)
    }
}

/// Returns the queue that runs a stage, or the step before the first one.
const fn queue_of(stage: Option<Stage>) -> &'static str {
    match stage {
        None => queues::SCANS,
        Some(Stage::Ingesting) => queues::MEDIA,
        Some(Stage::Observing) => queues::VISION,
        Some(Stage::Fusing | Stage::Enriching | Stage::Saving) => queues::FUSION,
    }
}
