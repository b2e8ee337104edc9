//! Checks of open scans, pending deliveries and running workflows against each other.

use std::collections::BTreeMap;

use activities::{Defect, DeliveryDefect, Reconciler, Repair, ScanDefect};
use domain::ScanId;
use entities::scans;
use workflows::client::ListedWorkflow;

use super::{Examination, Finding, Problem};

impl Examination<'_> {
    /// Checks every open scan and every overdue delivery.
    pub(super) async fn check_scans(&mut self) -> anyhow::Result<()> {
        let reconciler = self.reconciler();
        let mut walk = reconciler.walk(self.now);
        while let Some(defects) = walk.next().await? {
            for defect in defects {
                let mut finding = finding_of(&defect);
                if self.fix {
                    let repaired = reconciler.repair(&defect, self.now).await;
                    finding = finding.repaired(repaired.map(describe).map_err(Into::into));
                }
                self.add(finding);
            }
        }
        Ok(())
    }

    /// Checks that each running workflow of a scan has a scan that may still need it.
    pub(super) async fn check_workflows(&mut self) -> anyhow::Result<()> {
        let before =
            self.now.minus(std::time::Duration::from_secs(self.config.reconciler.settled_after_seconds));
        let mut token = None;
        loop {
            let page = self.engine.list_running_scans(before, token).await?;
            for workflow in self.without_scan(page.workflows).await? {
                let mut finding = Finding::new(Problem::WorkflowWithoutScan, workflow.id.clone(), "");
                if self.fix {
                    let stopped = self.engine.delete_run(&workflow).await;
                    finding = finding.repaired(stopped.map(|()| Some("deleted".into())).map_err(Into::into));
                }
                self.add(finding);
            }
            token = page.next;
            if token.is_none() {
                return Ok(());
            }
        }
    }

    /// Returns the workflows whose scan does not exist, or ended so long ago that its clean-up cannot
    /// be what keeps them running.
    async fn without_scan(&self, workflows: Vec<ListedWorkflow>) -> anyhow::Result<Vec<ListedWorkflow>> {
        let ids: Vec<ScanId> = workflows.iter().filter_map(ListedWorkflow::scan).collect();
        let rows = scans::system::find_each(&self.db, &ids).await?;
        let rows: BTreeMap<ScanId, _> = rows.into_iter().map(|row| (row.id.0.clone(), row)).collect();
        let ended_before = self.now.minus(self.config.scans.max_outage());
        Ok(workflows
            .into_iter()
            .filter(|workflow| {
                let row = workflow.scan().and_then(|scan| rows.get(&scan));
                row.is_none_or(|row| row.finished_at.is_some_and(|at| at.0 < ended_before))
            })
            .collect())
    }

    /// Sends the update `start` to a charged scan's workflow again.
    pub(super) async fn send_start(&self, scan: &str) -> anyhow::Result<Option<String>> {
        let reconciler: Reconciler = self.reconciler();
        Ok(describe(reconciler.send_start(&scan.parse()?, self.now).await?))
    }
}

fn finding_of(defect: &Defect) -> Finding {
    let (problem, detail) = match defect {
        Defect::Scan(scan, defect) => {
            let problem = match defect {
                ScanDefect::WorkflowMissing => Problem::ScanWorkflowMissing,
                ScanDefect::WorkflowTerminated => Problem::ScanWorkflowTerminated,
                ScanDefect::WorkflowEnded => Problem::ScanWorkflowEnded,
                ScanDefect::Overdue => Problem::ScanOverdue,
                ScanDefect::StartUnknown => Problem::ScanStartUnknown,
                ScanDefect::Stuck => Problem::ScanStuck,
                ScanDefect::TaskFailing { .. } => Problem::ScanTaskFailing,
                ScanDefect::QueueWithoutWorker { .. } => Problem::ScanQueueWithoutWorker,
            };
            (problem, scan_detail(scan.status.0.as_str(), defect))
        }
        Defect::Delivery(_, DeliveryDefect::WorkflowMissing) => {
            (Problem::DeliveryWorkflowMissing, String::new())
        }
        Defect::Delivery(_, DeliveryDefect::WorkflowEnded) => (Problem::DeliveryWorkflowEnded, String::new()),
    };
    Finding::new(problem, defect.subject(), detail)
}

fn scan_detail(status: &str, defect: &ScanDefect) -> String {
    match defect {
        ScanDefect::TaskFailing { attempts } => format!("{status}, attempt {attempts} of its workflow task"),
        ScanDefect::QueueWithoutWorker { queue } => format!("{status}, no worker serves the queue {queue}"),
        _ => status.to_owned(),
    }
}

/// Describes what a repair did; `None` if the defect remains.
fn describe(repair: Repair) -> Option<String> {
    let text = match repair {
        Repair::Refunded => "failed and refunded",
        Repair::Cancelled => "cancelled",
        Repair::Restarted => "started again",
        Repair::Abandoned => "given up",
        Repair::Nothing => "ended in the meantime",
        Repair::NotPossible => return None,
    };
    Some(text.into())
}
