//! One export of an account: the archive is made, kept for a while, and deleted.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

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
    /// The export, which is in the database already.
    pub export_id: ExportId,
}

/// How an export ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportResult {
    /// Whether an archive was made.
    pub made: bool,
}

/// The workflow of one export.
pub fn export_workflow_id(export: &ExportId) -> String {
    format!("export:{export}")
}

/// Makes, keeps and deletes an archive. Cancelled, it deletes the archive at once.
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
        let step = options::export("make the archive");
        let made = ctx.execute_activity(ExportAccount, input.clone(), step).await.map_err(failed)?;
        let Some(keep_ms) = made.keep_ms else { return Ok(ExportResult { made: false }) };
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
