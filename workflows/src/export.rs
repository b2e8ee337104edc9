//! The workflow of one export of an account: builds an archive, keeps it for some days, and deletes
//! it.
//!
//! The workflow stays open while the archive exists. A durable timer instead of a periodic clean-up
//! job means that each archive is deleted on time, and that an operator sees when.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use std::time::Duration;

use domain::ExportId;
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ApplicationFailure, TimerOptions, WorkflowContext, WorkflowResult, WorkflowTermination,
};

use crate::{
    contract::{DropExport, ExportAccount, ExportActivityInput},
    options, queues,
};

/// Input of [`ExportWorkflow`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportInput {
    /// The export. Its row is in the database.
    pub export_id: ExportId,
}

/// Result of an export.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportResult {
    /// Whether an archive was built. False if the account was erased before.
    pub made: bool,
}

/// Returns the id of an export's workflow.
pub fn export_workflow_id(export: &ExportId) -> String {
    format!("export:{export}")
}

/// Builds, keeps and deletes an archive. If the workflow is cancelled while it keeps the archive,
/// it deletes the archive at once.
#[workflow]
pub struct ExportWorkflow {
    input: ExportInput,
}

#[workflow_methods]
impl ExportWorkflow {
    #[init]
    pub fn new(_ctx: &temporalio_sdk::WorkflowContextView, input: ExportInput) -> Self {
        Self { input }
    }

    #[run(name = "ExportWorkflow")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<ExportResult> {
        let input = ExportActivityInput { export_id: ctx.state(|s| s.input.export_id.clone()) };
        let step = options::export("build the archive");
        let archive = ctx.execute_activity(ExportAccount, input.clone(), step).await.map_err(failed)?;
        let Some(keep_ms) = archive.keep_ms else { return Ok(ExportResult { made: false }) };
        let timer = TimerOptions::builder(Duration::from_millis(keep_ms))
            .summary("keep the archive".to_owned())
            .build();
        ctx.timer(timer).await;
        let step = options::compensation(queues::SCANS, "delete the archive");
        ctx.execute_activity(DropExport, input, step).await.map_err(failed)?;
        Ok(ExportResult { made: true })
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> WorkflowTermination {
    let kind = "EXPORT_ACTIVITY_FAILED".to_owned();
    WorkflowTermination::from(ApplicationFailure::builder(error).type_name(kind).build())
}
