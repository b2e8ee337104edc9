//! The walk through all open scans and overdue deliveries, page by page.

use std::collections::BTreeMap;

use domain::{ScanStatus, Timestamp, page::Keyset};
use entities::{
    ScanRow, scans,
    webhook_deliveries::system::{self as deliveries, Position},
};
use workflows::{client::ListedWorkflow, scan_workflow_id};

use super::{Defect, PAGE, ReconcileError, Reconciler, ScanDefect, describe_each};

/// Maximum number of scans that do not move whose workflows one walk describes. If there are more,
/// they have the same reason.
const MAX_STALLED: usize = 200;

/// Statuses in which a scan is open, those with a charge first.
const OPEN: [ScanStatus; 3] = [ScanStatus::Queued, ScanStatus::Processing, ScanStatus::AwaitingUpload];

/// A walk through the defects of all open scans and overdue deliveries.
pub struct Walk<'a> {
    reconciler: &'a Reconciler,
    now: Timestamp,
    next: Next,
    /// Number of scans that do not move that this walk may still describe.
    stalled_left: usize,
}

/// The next page of a walk.
enum Next {
    /// Scans of this status of [`OPEN`], after a position.
    Scans(usize, Option<Keyset>),
    /// Deliveries after a position.
    Deliveries(Option<Position>),
    End,
}

impl<'a> Walk<'a> {
    pub(super) fn new(reconciler: &'a Reconciler, now: Timestamp) -> Self {
        Self { reconciler, now, next: Next::Scans(0, None), stalled_left: MAX_STALLED }
    }

    /// Returns the defects of the next page of rows, or `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the database or the engine is unavailable.
    pub async fn next(&mut self) -> Result<Option<Vec<Defect>>, ReconcileError> {
        match &self.next {
            Next::Scans(status, after) => {
                let (status, after) = (*status, after.clone());
                self.scans(status, after).await.map(Some)
            }
            Next::Deliveries(after) => {
                let after = after.clone();
                self.deliveries(after).await.map(Some)
            }
            Next::End => Ok(None),
        }
    }

    async fn scans(&mut self, status: usize, after: Option<Keyset>) -> Result<Vec<Defect>, ReconcileError> {
        let Reconciler { db, settings, .. } = self.reconciler;
        let before = self.now.minus(settings.settled_after());
        let rows = scans::system::list_open(db, OPEN[status], before, after.as_ref(), PAGE).await?;
        self.next = match rows.last() {
            Some(last) if rows.len() as u64 == PAGE => {
                Next::Scans(status, Some(scans::system::position_of(last)))
            }
            _ if status + 1 < OPEN.len() => Next::Scans(status + 1, None),
            _ => Next::Deliveries(None),
        };
        self.scan_defects(rows).await
    }

    async fn scan_defects(&mut self, rows: Vec<ScanRow>) -> Result<Vec<Defect>, ReconcileError> {
        let (reconciler, now) = (self.reconciler, self.now);
        let ids: Vec<String> = rows.iter().map(|scan| scan_workflow_id(&scan.id)).collect();
        let running = by_id(reconciler.engine.list_running(&ids).await?);
        let (mut defects, mut absent, mut stalled) = (Vec::new(), Vec::new(), Vec::new());
        for (scan, id) in rows.into_iter().zip(&ids) {
            if reconciler.is_stuck(&scan, now) {
                defects.push(Defect::Scan(Box::new(scan), ScanDefect::Stuck));
                continue;
            }
            match running.get(id) {
                None => absent.push(scan),
                Some(workflow) => match reconciler.running_scan_defect(&scan, workflow, now) {
                    Some(defect) => defects.push(Defect::Scan(Box::new(scan), defect)),
                    None if reconciler.is_stalled(&scan, now) => stalled.push(scan),
                    None => {}
                },
            }
        }
        stalled.truncate(self.stalled_left);
        self.stalled_left -= stalled.len();
        defects.extend(describe_each(absent, |scan| reconciler.scan_without_workflow(scan)).await?);
        defects.extend(describe_each(stalled, |scan| reconciler.why_stalled(scan)).await?);
        Ok(defects)
    }

    async fn deliveries(&mut self, after: Option<Position>) -> Result<Vec<Defect>, ReconcileError> {
        let reconciler = self.reconciler;
        let before = self.now.minus(reconciler.settings.settled_after());
        let rows = deliveries::list_overdue(&reconciler.db, before, after.as_ref(), PAGE).await?;
        self.next = match rows.last() {
            Some(last) if rows.len() as u64 == PAGE => Next::Deliveries(Some(last.position())),
            _ => Next::End,
        };
        let ids: Vec<String> = rows.iter().map(|row| reconciler.delivery_workflow(row)).collect();
        let running = by_id(reconciler.engine.list_running(&ids).await?);
        let absent = rows.into_iter().zip(ids).filter(|(_, id)| !running.contains_key(id));
        let absent = absent.map(|(row, _)| row).collect();
        describe_each(absent, |delivery| reconciler.delivery_without_workflow(delivery)).await
    }
}

fn by_id(workflows: Vec<ListedWorkflow>) -> BTreeMap<String, ListedWorkflow> {
    workflows.into_iter().map(|workflow| (workflow.id.clone(), workflow)).collect()
}
