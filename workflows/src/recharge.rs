//! The workflow of one payment: calls the bank until it has decided.
//!
//! A bank may need a day to decide, so the workflow polls with durable timers. `pay` is an ordinary
//! activity because it calls another service. It is idempotent: the payment's id is the bank's
//! idempotency key, and settling a settled payment changes nothing.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

use domain::{
    PaymentId,
    mode::Tenant,
    payment::{PaymentKind, PaymentState},
};
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ApplicationFailure, TimerOptions, TimerResult, WorkflowContext, WorkflowResult, WorkflowTermination,
};

use crate::{
    RetrySchedule,
    contract::{Pay, PayInput},
    options,
};

/// Schedule of the calls to a bank that has not decided: soon at first, then every ten minutes, for
/// more than a day.
const SCHEDULE: RetrySchedule =
    RetrySchedule { first_wait_ms: 2_000, longest_wait_ms: 10 * 60 * 1000, retries: 200 };

/// Input of [`RechargeWorkflow`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RechargeInput {
    /// The payment. Its row is in the database.
    pub payment_id: PaymentId,
    /// Account and mode whose wallet is credited.
    pub tenant: Tenant,
    /// Automatic top-up, or top-up by the owner.
    pub kind: PaymentKind,
}

impl RechargeInput {
    /// Returns the workflow's id. All automatic top-ups of an account and mode share one, so that
    /// only one of them runs at a time.
    pub fn workflow_id(&self) -> String {
        match self.kind {
            PaymentKind::AutoRecharge => {
                format!("recharge:{}:{}", self.tenant.account_id, self.tenant.mode.as_str())
            }
            PaymentKind::TopUp => format!("payment:{}", self.payment_id),
        }
    }
}

/// Result of the calls to the bank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RechargeResult {
    /// Number of calls to the bank.
    pub asked: u32,
    /// State of the payment. If it is still pending, the relay starts the workflow again.
    pub state: PaymentState,
}

/// Calls the activity `pay` until the payment is settled.
#[workflow]
pub struct RechargeWorkflow {
    input: RechargeInput,
}

#[workflow_methods]
impl RechargeWorkflow {
    #[init]
    pub fn new(_ctx: &temporalio_sdk::WorkflowContextView, input: RechargeInput) -> Self {
        Self { input }
    }

    #[run(name = "RechargeWorkflow")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<RechargeResult> {
        let RechargeInput { payment_id, tenant, .. } = ctx.state(|s| s.input.clone());
        let mut calls = 1;
        loop {
            let input = PayInput { payment_id: payment_id.clone() };
            let options = options::payment(&tenant.account_id, calls);
            let output = ctx.execute_activity(Pay, input, options).await.map_err(|e| {
                WorkflowTermination::from(
                    ApplicationFailure::builder(e).type_name("PAYMENT_ACTIVITY_FAILED".to_owned()).build(),
                )
            })?;
            let state = output.state;
            ctx.set_current_details(format!(
                "{payment_id} is {} after call {calls} to the bank",
                state.as_str()
            ));
            let wait = SCHEDULE.wait_after(calls).filter(|_| state == PaymentState::Pending);
            let Some(wait) = wait else { return Ok(RechargeResult { asked: calls, state }) };
            let timer = TimerOptions::builder(wait).summary("wait for the bank to decide".to_owned()).build();
            if ctx.timer(timer).await == TimerResult::Cancelled {
                return Err(WorkflowTermination::cancelled());
            }
            calls += 1;
        }
    }
}
