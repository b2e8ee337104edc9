//! The end of one account: what is under way ends first, then what it had is deleted.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::AccountId;
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ApplicationFailure, TimerOptions, WorkflowContext, WorkflowResult, WorkflowTermination,
};

use crate::{
    RetrySchedule,
    contract::{EraseObjects, EraseRecords, ErasureInput, SettleAccount},
    options,
};

/// When an account that has something under way is looked at again: for as long as it takes.
const SCHEDULE: RetrySchedule =
    RetrySchedule { first_wait_ms: 2_000, longest_wait_ms: 5 * 60 * 1000, retries: u32::MAX };

/// How an erasure ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ErasureResult {
    /// How many objects were deleted.
    pub objects: u64,
}

/// The workflow of the erasure of an account.
pub fn erasure_workflow_id(account: &AccountId) -> String {
    format!("erasure:{account}")
}

/// Erases an account that was closed. It cannot be cancelled: nobody can want the account back.
#[workflow]
pub struct ErasureWorkflow {
    input: ErasureInput,
}

#[workflow_methods]
impl ErasureWorkflow {
    #[init]
    pub fn new(_ctx: &temporalio_sdk::WorkflowContextView, input: ErasureInput) -> Self {
        Self { input }
    }

    #[run(name = "ErasureWorkflow")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<ErasureResult> {
        let input = ctx.state(|s| s.input.clone());
        let mut looked = 1;
        loop {
            let step = options::erasure("let what is under way end");
            let settled = ctx.execute_activity(SettleAccount, input.clone(), step).await.map_err(failed)?;
            let wait = SCHEDULE.wait_after(looked).filter(|_| settled.under_way > 0);
            let Some(wait) = wait else { break };
            ctx.set_current_details(format!("{} scans and payments are under way", settled.under_way));
            let timer = TimerOptions::builder(wait)
                .summary("wait for scans and payments to end".to_owned())
                .cancellation_token(temporalio_sdk::WorkflowCancellationToken::new())
                .build();
            ctx.timer(timer).await;
            looked += 1;
        }
        let step = options::erasure("delete media and documents");
        let erased = ctx.execute_activity(EraseObjects, input.clone(), step).await.map_err(failed)?;
        let step = options::erasure("erase records");
        ctx.execute_activity(EraseRecords, input, step).await.map_err(failed)?;
        Ok(ErasureResult { objects: erased.objects })
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> WorkflowTermination {
    let kind = "ERASURE_ACTIVITY_FAILED".to_owned();
    WorkflowTermination::from(ApplicationFailure::builder(error).type_name(kind).build())
}
