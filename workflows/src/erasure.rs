//! The workflow that erases a closed account.
//!
//! It waits until the account's running scans and open payments have ended, then deletes objects,
//! then records. Records are deleted last, because they name the objects that a repeated run still
//! has to delete. All steps are ordinary activities with heartbeats, because a large account takes
//! minutes or hours.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

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

/// Schedule of the checks whether scans and payments have ended. There is no last check.
const SCHEDULE: RetrySchedule =
    RetrySchedule { first_wait_ms: 2_000, longest_wait_ms: 5 * 60 * 1000, retries: u32::MAX };

/// Result of an erasure.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ErasureResult {
    /// Number of deleted objects.
    pub objects: u64,
}

/// Returns the id of the workflow that erases an account.
pub fn erasure_workflow_id(account: &AccountId) -> String {
    format!("erasure:{account}")
}

/// Erases a closed account. Activities and timers ignore cancellation: the owner's request cannot
/// be taken back.
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
        let mut checks = 1;
        loop {
            let step = options::erasure("cancel waiting scans, count running ones");
            let settled = ctx.execute_activity(SettleAccount, input.clone(), step).await.map_err(failed)?;
            let wait = SCHEDULE.wait_after(checks).filter(|_| settled.under_way > 0);
            let Some(wait) = wait else { break };
            ctx.set_current_details(format!("waiting for {} scans and payments", settled.under_way));
            let timer = TimerOptions::builder(wait)
                .summary("wait for scans and payments to end".to_owned())
                .cancellation_token(temporalio_sdk::WorkflowCancellationToken::new())
                .build();
            ctx.timer(timer).await;
            checks += 1;
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
