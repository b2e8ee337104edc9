//! One payment: the bank is asked until it has decided.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

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

/// When a bank that has not decided is asked again: soon, then every ten minutes, for more than a day.
const SCHEDULE: RetrySchedule =
    RetrySchedule { first_wait_ms: 2_000, longest_wait_ms: 10 * 60 * 1000, retries: 200 };

/// Input of [`RechargeWorkflow`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RechargeInput {
    /// The payment, which is in the database already.
    pub payment_id: PaymentId,
    /// Whose it is.
    pub tenant: Tenant,
    /// Why it is made.
    pub kind: PaymentKind,
}

impl RechargeInput {
    /// The workflow's id. An account has one automatic top-up under way in each mode.
    pub fn workflow_id(&self) -> String {
        match self.kind {
            PaymentKind::AutoRecharge => {
                format!("recharge:{}:{}", self.tenant.account_id, self.tenant.mode.as_str())
            }
            PaymentKind::TopUp => format!("payment:{}", self.payment_id),
        }
    }
}

/// How asking ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RechargeResult {
    /// How often the bank was asked.
    pub asked: u32,
    /// How the payment stands. When it is still pending, the promise to settle it starts this again.
    pub state: PaymentState,
}

/// Brings one payment to its end.
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
        let mut asked = 1;
        loop {
            let input = PayInput { payment_id: payment_id.clone() };
            let options = options::payment(&tenant.account_id, asked);
            let output = ctx.execute_activity(Pay, input, options).await.map_err(|e| {
                WorkflowTermination::from(
                    ApplicationFailure::builder(e).type_name("PAYMENT_ACTIVITY_FAILED".to_owned()).build(),
                )
            })?;
            let state = output.state;
            ctx.set_current_details(format!("{payment_id} is {} after {asked} question(s)", state.as_str()));
            let wait = SCHEDULE.wait_after(asked).filter(|_| state == PaymentState::Pending);
            let Some(wait) = wait else { return Ok(RechargeResult { asked, state }) };
            let timer = TimerOptions::builder(wait).summary("wait for the bank to decide".to_owned()).build();
            if ctx.timer(timer).await == TimerResult::Cancelled {
                return Err(WorkflowTermination::cancelled());
            }
            asked += 1;
        }
    }
}
