//! Repairs scans and deliveries that are open in the database although their workflow cannot end
//! them.
//!
//! That happens when an operator terminates or resets a workflow, when a dev server loses its
//! database file, or when workers fail to process a workflow for too long: compensations don't run
//! then. Two rounds run periodically:
//!
//! - [`Reconciler::repair_recent`] asks the engine which workflows were broken off in the last
//!   minutes, so it is cheap however many scans are open.
//! - [`Reconciler::repair_all`] walks through all open scans and overdue deliveries, page by page,
//!   and asks the engine about a whole page at once. It also finds workflows that are missing, and
//!   scans that do not move.
//!
//! A round never trusts the engine's index alone, which lags behind: it describes a workflow before
//! it repairs its scan.

mod deliveries;
mod scans;
mod walk;

use std::time::Duration;

use domain::{ScanId, Timestamp};
use entities::{
    Db, DeliveryRow, ScanRow,
    scans::system as scan_rows,
    webhook_deliveries::{self, DeliveryStatus, Round},
};
use futures::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use workflows::{
    RetrySchedule,
    client::{Engine, EngineError, ListedWorkflow},
};

pub use walk::Walk;

use crate::Metrics;

/// Number of rows that are read, and looked up in the engine, at once.
const PAGE: u64 = 200;
/// Number of workflows that are described or repaired at a time.
const CONCURRENCY: usize = 8;
/// Period before a round in which [`Reconciler::repair_recent`] looks for ended workflows. Rounds may
/// fail or be skipped for as long; [`Reconciler::repair_all`] finds what is older.
const RECENT: Duration = Duration::from_secs(10 * 60);

/// Settings of the comparison of database and engine.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReconcilerSettings {
    /// Time between two rounds that repair scans and deliveries whose workflow was terminated in the
    /// last minutes, in seconds.
    pub every_seconds: u64,
    /// Time between two rounds that compare every open scan and overdue delivery with the engine, in
    /// seconds.
    pub full_every_seconds: u64,
    /// Rows that changed within this time are skipped by the full comparison, in seconds: the relay or
    /// the workflow is still working on them.
    pub settled_after_seconds: u64,
    /// Time without progress after which a started scan is looked into, in seconds: an error is logged
    /// if its workflow keeps failing, or no worker serves its queue.
    pub stalled_after_seconds: u64,
}

impl Default for ReconcilerSettings {
    fn default() -> Self {
        Self {
            every_seconds: 30,
            full_every_seconds: 300,
            settled_after_seconds: 60,
            stalled_after_seconds: 600,
        }
    }
}

impl ReconcilerSettings {
    const fn settled_after(&self) -> Duration {
        Duration::from_secs(self.settled_after_seconds)
    }

    const fn stalled_after(&self) -> Duration {
        Duration::from_secs(self.stalled_after_seconds)
    }
}

/// The background task that compares database and engine.
#[derive(Clone)]
pub struct Reconciler {
    db: Db,
    engine: Engine,
    retries: RetrySchedule,
    max_outage: Duration,
    settings: ReconcilerSettings,
    metrics: Metrics,
}

/// Why a comparison failed. The next round tries again.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] ledger::Error),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A scan or a delivery that does not agree with its workflow.
#[derive(Debug, Clone)]
pub enum Defect {
    /// A scan.
    Scan(Box<ScanRow>, ScanDefect),
    /// A delivery of an event.
    Delivery(Box<DeliveryRow>, DeliveryDefect),
}

/// What is wrong with a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanDefect {
    /// The engine has no workflow of the scan.
    WorkflowMissing,
    /// The workflow was terminated or timed out.
    WorkflowTerminated,
    /// The workflow ended without ending the scan.
    WorkflowEnded,
    /// The scan awaits its upload after its deadline, and has no workflow.
    Overdue,
    /// The scan is charged, and its workflow still waits for the start, for example after a reset.
    StartUnknown,
    /// The scan has made no progress for longer than the longest outage.
    Stuck,
    /// Workers fail to process the workflow. The repair is up to an operator.
    TaskFailing {
        /// Number of attempts.
        attempts: u32,
    },
    /// No worker serves the queue of the scan's stage. The repair is up to an operator.
    QueueWithoutWorker {
        /// The queue.
        queue: &'static str,
    },
}

/// What is wrong with a delivery whose next attempt is overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryDefect {
    /// The engine has no workflow of the delivery.
    WorkflowMissing,
    /// The workflow was terminated, or ended without ending the delivery.
    WorkflowEnded,
}

/// What a repair did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// The scan failed and is refunded.
    Refunded,
    /// The scan is cancelled.
    Cancelled,
    /// The workflow was started again, or received the update `start` again.
    Restarted,
    /// The delivery was given up. The endpoint's owner can request a redelivery.
    Abandoned,
    /// Nothing: the scan or delivery has ended in the meantime.
    Nothing,
    /// Nothing: only an operator can repair the defect.
    NotPossible,
}

impl Reconciler {
    /// Creates the task. `max_outage` is the time after which a started scan that does not move is
    /// refunded.
    pub fn new(
        db: Db,
        engine: Engine,
        retries: RetrySchedule,
        max_outage: Duration,
        settings: ReconcilerSettings,
    ) -> Self {
        Self { db, engine, retries, max_outage, settings, metrics: Metrics::default() }
    }

    /// Counts its actions in these metrics.
    #[must_use]
    pub fn with_metrics(self, metrics: Metrics) -> Self {
        Self { metrics, ..self }
    }

    /// Repairs the scans and deliveries whose workflow was broken off in the last minutes. Returns the
    /// number of repairs.
    ///
    /// # Errors
    /// Returns an error if the database or the engine is unavailable.
    pub async fn repair_recent(&self, now: Timestamp) -> Result<u64, ReconcileError> {
        let (mut repairs, mut token) = (0, None);
        loop {
            let page = self.engine.list_broken_off(now.minus(RECENT), token).await?;
            for workflows in page.workflows.chunks(PAGE as usize) {
                let mut defects = self.broken_off_scans(workflows).await?;
                defects.extend(self.broken_off_deliveries(workflows).await?);
                repairs += self.repair_each(defects, now).await;
            }
            token = page.next;
            if token.is_none() {
                return Ok(repairs);
            }
        }
    }

    /// Compares every open scan and every overdue delivery with the engine, and repairs them. Reports
    /// defects that only an operator can repair as errors. Returns the number of repairs.
    ///
    /// # Errors
    /// Returns an error if the database or the engine is unavailable.
    pub async fn repair_all(&self, now: Timestamp) -> Result<u64, ReconcileError> {
        let (mut walk, mut repairs) = (self.walk(now), 0);
        while let Some(defects) = walk.next().await? {
            repairs += self.repair_each(defects, now).await;
        }
        Ok(repairs)
    }

    /// Begins a walk through the defects of all open scans and overdue deliveries.
    pub fn walk(&self, now: Timestamp) -> Walk<'_> {
        Walk::new(self, now)
    }

    /// Repairs a defect. The transaction reads the row again, so it does not touch a scan or delivery
    /// that ended a moment ago.
    ///
    /// # Errors
    /// Returns an error if the database or the engine is unavailable.
    pub async fn repair(&self, defect: &Defect, now: Timestamp) -> Result<Repair, ReconcileError> {
        match defect {
            Defect::Scan(scan, defect) => self.repair_scan(scan, defect, now).await,
            Defect::Delivery(delivery, defect) => self.repair_delivery(delivery, *defect, now).await,
        }
    }

    /// Sends the update `start` to the workflow of a charged scan again, for an outbox entry that is
    /// not acknowledged. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the database or the engine is unavailable.
    pub async fn send_start(&self, scan: &ScanId, now: Timestamp) -> Result<Repair, ReconcileError> {
        match scan_rows::find(&self.db, scan).await? {
            Some(scan) if scan.status.0.is_in_progress() => {
                self.repair_scan(&scan, &ScanDefect::StartUnknown, now).await
            }
            _ => Ok(Repair::Nothing),
        }
    }

    /// Repairs the defects, and returns how many repairs changed something. Errors are logged, and the
    /// next round tries again.
    async fn repair_each(&self, defects: Vec<Defect>, now: Timestamp) -> u64 {
        let repairs = stream::iter(defects).map(|defect| self.repair_and_log(defect, now));
        let changes: Vec<bool> = repairs.buffer_unordered(CONCURRENCY).collect().await;
        changes.into_iter().filter(|changed| *changed).count() as u64
    }

    /// Repairs a defect. Returns whether that changed something.
    async fn repair_and_log(&self, defect: Defect, now: Timestamp) -> bool {
        let outcome = self.repair(&defect, now).await;
        defect.log(&outcome);
        self.metrics.record_repair(&outcome);
        !matches!(outcome, Err(_) | Ok(Repair::Nothing | Repair::NotPossible))
    }

    /// Finds the open scans among workflows that were broken off.
    async fn broken_off_scans(&self, workflows: &[ListedWorkflow]) -> Result<Vec<Defect>, ReconcileError> {
        let ids: Vec<ScanId> = workflows.iter().filter_map(ListedWorkflow::scan).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let open = scan_rows::find_open(&self.db, &ids).await?;
        describe_each(open, |scan| self.scan_without_workflow(scan)).await
    }

    /// Finds the pending deliveries among workflows that were broken off.
    async fn broken_off_deliveries(
        &self,
        workflows: &[ListedWorkflow],
    ) -> Result<Vec<Defect>, ReconcileError> {
        let mut pending = Vec::new();
        for round in workflows.iter().filter_map(|workflow| deliveries::round_of(&workflow.id)) {
            let Round { event, endpoint, number } = &round;
            let found = webhook_deliveries::system::find(&self.db, event, endpoint).await?;
            pending.extend(found.filter(|delivery| {
                delivery.status.0 == DeliveryStatus::Pending && delivery.round == *number
            }));
        }
        describe_each(pending, |delivery| self.delivery_without_workflow(delivery)).await
    }
}

/// Describes the workflows of the rows, several at a time, and returns the defects.
async fn describe_each<T, F>(rows: Vec<T>, describe: impl Fn(T) -> F) -> Result<Vec<Defect>, ReconcileError>
where
    F: Future<Output = Result<Option<Defect>, ReconcileError>>,
{
    let described: Vec<_> = stream::iter(rows).map(describe).buffer_unordered(CONCURRENCY).collect().await;
    described.into_iter().filter_map(Result::transpose).collect()
}

impl Defect {
    /// Returns the id of the scan, or the ids of the event and the endpoint.
    pub fn subject(&self) -> String {
        match self {
            Defect::Scan(scan, _) => scan.id.to_string(),
            Defect::Delivery(delivery, _) => format!("{}:{}", delivery.event_id.0, delivery.endpoint_id.0),
        }
    }

    /// Logs the outcome of a repair. An error means that an operator should look at it.
    fn log(&self, outcome: &Result<Repair, ReconcileError>) {
        let subject = self.subject();
        let is_stuck = matches!(self, Defect::Scan(_, ScanDefect::Stuck));
        match outcome {
            Err(error) => tracing::warn!(subject, defect = ?self.kind(), %error, "a repair failed"),
            Ok(Repair::Nothing) => {}
            Ok(Repair::NotPossible) => {
                tracing::error!(subject, defect = ?self.kind(), "a scan does not move");
            }
            Ok(repair) if is_stuck => {
                tracing::error!(subject, ?repair, "refunded a scan that did not move");
            }
            Ok(repair) => tracing::warn!(subject, defect = ?self.kind(), ?repair, "repaired"),
        }
    }

    fn kind(&self) -> &dyn std::fmt::Debug {
        match self {
            Defect::Scan(_, defect) => defect,
            Defect::Delivery(_, defect) => defect,
        }
    }
}
