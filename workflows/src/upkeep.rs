//! The workflow of one round of a periodic task.
//!
//! A schedule of the engine starts it, so a round runs once for all workers, and a worker that dies
//! in a round is replaced by another one. The round is an ordinary activity with heartbeats, because
//! it may take minutes. Each round is a workflow of its own, so no history grows; the task `sweep`
//! deletes the finished ones after a day.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ApplicationFailure, WorkflowContext, WorkflowContextView, WorkflowResult, WorkflowTermination,
};

use crate::{
    contract::{RunUpkeep, UpkeepInput, UpkeepOutput},
    options,
};

/// Runs one round of a periodic task.
#[workflow]
pub struct UpkeepWorkflow {
    input: UpkeepInput,
}

#[workflow_methods]
impl UpkeepWorkflow {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, input: UpkeepInput) -> Self {
        Self { input }
    }

    #[run(name = "UpkeepWorkflow")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<UpkeepOutput> {
        let input = ctx.state(|s| s.input);
        let round = options::upkeep(input.task.schedule_id());
        ctx.execute_activity(RunUpkeep, input, round).await.map_err(|error| {
            let kind = "UPKEEP_FAILED".to_owned();
            WorkflowTermination::from(ApplicationFailure::builder(error).type_name(kind).build())
        })
    }
}
