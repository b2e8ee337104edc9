//! Findings of `scan doctor`.

use serde::{Serialize, Serializer};

/// What is wrong. The names are stable; `docs/operating.md` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The database schema is not the one of this version.
    SchemaOutdated,
    /// The clock of the database or of the engine differs from ours.
    ClockSkew,
    /// The engine cannot be reached.
    EngineUnavailable,
    /// Object storage cannot be reached.
    StorageUnavailable,
    /// The bank cannot be reached.
    BankUnavailable,
    /// The engine does not have the schedule of a periodic task.
    ScheduleMissing,
    /// The schedule of a periodic task is paused.
    SchedulePaused,
    /// No worker serves a task queue.
    QueueWithoutWorker,
    /// An open scan has no workflow.
    ScanWorkflowMissing,
    /// The workflow of an open scan was terminated or timed out.
    ScanWorkflowTerminated,
    /// The workflow of an open scan ended without ending it.
    ScanWorkflowEnded,
    /// A scan awaits its upload after its deadline, and has no workflow.
    ScanOverdue,
    /// A scan is charged, and its workflow waits for the start, for example after a reset.
    ScanStartUnknown,
    /// A charged scan has made no progress for longer than the longest outage.
    ScanStuck,
    /// Workers fail to process the workflow of a scan.
    ScanTaskFailing,
    /// No worker serves the queue of a scan's stage.
    ScanQueueWithoutWorker,
    /// A running workflow has no scan, or its scan ended long ago.
    WorkflowWithoutScan,
    /// A charged scan's start is not acknowledged by its workflow.
    StartUnacknowledged,
    /// An event is not handed over to the deliveries.
    EventNotHandedOver,
    /// An outbox entry is parked.
    OutboxEntryParked,
    /// A pending delivery has no workflow.
    DeliveryWorkflowMissing,
    /// The workflow of a pending delivery ended without ending it.
    DeliveryWorkflowEnded,
    /// An object in storage belongs to nothing.
    OrphanObject,
    /// An object that a row names is not in storage.
    MissingObject,
    /// The ledger contradicts itself.
    LedgerDefect,
    /// The bank collected a payment that is not credited.
    BankPaymentNotCredited,
    /// Bank and ledger differ.
    BankDefect,
}

impl Problem {
    /// Every problem.
    pub const ALL: [Problem; 27] = [
        Problem::SchemaOutdated,
        Problem::ClockSkew,
        Problem::EngineUnavailable,
        Problem::StorageUnavailable,
        Problem::BankUnavailable,
        Problem::ScheduleMissing,
        Problem::SchedulePaused,
        Problem::QueueWithoutWorker,
        Problem::ScanWorkflowMissing,
        Problem::ScanWorkflowTerminated,
        Problem::ScanWorkflowEnded,
        Problem::ScanOverdue,
        Problem::ScanStartUnknown,
        Problem::ScanStuck,
        Problem::ScanTaskFailing,
        Problem::ScanQueueWithoutWorker,
        Problem::WorkflowWithoutScan,
        Problem::StartUnacknowledged,
        Problem::EventNotHandedOver,
        Problem::OutboxEntryParked,
        Problem::DeliveryWorkflowMissing,
        Problem::DeliveryWorkflowEnded,
        Problem::OrphanObject,
        Problem::MissingObject,
        Problem::LedgerDefect,
        Problem::BankPaymentNotCredited,
        Problem::BankDefect,
    ];

    /// Returns the stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Problem::SchemaOutdated => "schema_outdated",
            Problem::ClockSkew => "clock_skew",
            Problem::EngineUnavailable => "engine_unavailable",
            Problem::StorageUnavailable => "storage_unavailable",
            Problem::BankUnavailable => "bank_unavailable",
            Problem::ScheduleMissing => "schedule_missing",
            Problem::SchedulePaused => "schedule_paused",
            Problem::QueueWithoutWorker => "queue_without_worker",
            Problem::ScanWorkflowMissing => "scan_workflow_missing",
            Problem::ScanWorkflowTerminated => "scan_workflow_terminated",
            Problem::ScanWorkflowEnded => "scan_workflow_ended",
            Problem::ScanOverdue => "scan_overdue",
            Problem::ScanStartUnknown => "scan_start_unknown",
            Problem::ScanStuck => "scan_stuck",
            Problem::ScanTaskFailing => "scan_task_failing",
            Problem::ScanQueueWithoutWorker => "scan_queue_without_worker",
            Problem::WorkflowWithoutScan => "workflow_without_scan",
            Problem::StartUnacknowledged => "start_unacknowledged",
            Problem::EventNotHandedOver => "event_not_handed_over",
            Problem::OutboxEntryParked => "outbox_entry_parked",
            Problem::DeliveryWorkflowMissing => "delivery_workflow_missing",
            Problem::DeliveryWorkflowEnded => "delivery_workflow_ended",
            Problem::OrphanObject => "orphan_object",
            Problem::MissingObject => "missing_object",
            Problem::LedgerDefect => "ledger_defect",
            Problem::BankPaymentNotCredited => "bank_payment_not_credited",
            Problem::BankDefect => "bank_defect",
        }
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub problem: Problem,
    /// The affected scan, workflow, object or part.
    pub subject: String,
    /// Details for an operator. Empty if the name says everything.
    pub detail: String,
    /// What `--fix` did; `None` if nothing was repaired.
    pub repair: Option<String>,
}

impl Finding {
    /// Creates a finding that is not repaired.
    pub fn new(problem: Problem, subject: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { problem, subject: subject.into(), detail: detail.into(), repair: None }
    }

    /// Records the outcome of a repair: what it did, or why it failed.
    pub fn repaired(mut self, outcome: anyhow::Result<Option<String>>) -> Self {
        match outcome {
            Ok(repair) => self.repair = repair,
            Err(error) => self.detail = format!("{} (repair failed: {error:#})", self.detail),
        }
        self
    }
}
