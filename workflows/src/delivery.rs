//! One delivery of one event to one endpoint: attempts and the waits between them.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use std::time::Duration;

use domain::{EventId, WebhookEndpointId};
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ApplicationFailure, TimerOptions, TimerResult, WorkflowContext, WorkflowResult, WorkflowTermination,
};

use crate::{
    contract::{Deliver, DeliverInput, DeliverOutput, webhooks::is_first},
    delivery_workflow_id, options,
};

/// When a failed delivery is tried again. The contract: 8 retries, the first after 30 seconds, then
/// doubling, at most an hour apart. Tests shorten it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetrySchedule {
    /// The wait before the first retry, in milliseconds.
    pub first_wait_ms: u64,
    /// The longest wait, in milliseconds.
    pub longest_wait_ms: u64,
    /// Retries after the first attempt.
    pub retries: u32,
}

impl Default for RetrySchedule {
    fn default() -> Self {
        Self { first_wait_ms: 30_000, longest_wait_ms: 3_600_000, retries: 8 }
    }
}

impl RetrySchedule {
    /// Attempts in all.
    pub const fn attempts(&self) -> u32 {
        self.retries + 1
    }

    /// The wait after a failed attempt (1 for the first); `None` when no retry is left.
    pub fn wait_after(&self, attempt: u32) -> Option<Duration> {
        if attempt == 0 || attempt > self.retries {
            return None;
        }
        let doubled = self.first_wait_ms.saturating_mul(1_u64.checked_shl(attempt - 1).unwrap_or(u64::MAX));
        Some(Duration::from_millis(doubled.min(self.longest_wait_ms)))
    }
}

/// Input of [`WebhookDeliveryWorkflow`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliveryInput {
    /// What to send.
    pub event_id: EventId,
    /// Where.
    pub endpoint_id: WebhookEndpointId,
    /// How often the delivery was asked for again before.
    #[serde(default, skip_serializing_if = "is_first")]
    pub round: i64,
    /// When to try again.
    #[serde(default)]
    pub schedule: RetrySchedule,
}

impl DeliveryInput {
    /// The id under which this round of the delivery runs once.
    pub fn workflow_id(&self) -> String {
        let first = delivery_workflow_id(&self.event_id, &self.endpoint_id);
        if is_first(&self.round) { first } else { format!("{first}:{}", self.round) }
    }
}

/// How a delivery ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliveryResult {
    /// Attempts made.
    pub attempts: u32,
    /// What the last one came to.
    pub last: DeliverOutput,
}

/// Delivers one event to one endpoint.
#[workflow]
pub struct WebhookDeliveryWorkflow {
    input: DeliveryInput,
}

#[workflow_methods]
impl WebhookDeliveryWorkflow {
    #[init]
    pub fn new(_ctx: &temporalio_sdk::WorkflowContextView, input: DeliveryInput) -> Self {
        Self { input }
    }

    #[run(name = "WebhookDeliveryWorkflow")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<DeliveryResult> {
        let DeliveryInput { event_id, endpoint_id, round, schedule } = ctx.state(|s| s.input.clone());
        let mut attempt = 1;
        loop {
            let wait = schedule.wait_after(attempt);
            let input = DeliverInput {
                event_id: event_id.clone(),
                endpoint_id: endpoint_id.clone(),
                round,
                attempt,
                last: wait.is_none(),
            };
            let options = options::delivery(endpoint_id.as_str(), attempt, schedule.attempts());
            let outcome = ctx.execute_activity(Deliver, input, options).await.map_err(|e| {
                WorkflowTermination::from(
                    ApplicationFailure::builder(e).type_name("DELIVERY_ACTIVITY_FAILED".to_owned()).build(),
                )
            })?;
            let DeliverOutput::Failed { error, .. } = &outcome else {
                ctx.set_current_details(format!("delivered or dropped after {attempt} attempt(s)"));
                return Ok(DeliveryResult { attempts: attempt, last: outcome });
            };
            let Some(wait) = wait else {
                ctx.set_current_details(format!("given up after {attempt} attempts: {error}"));
                return Ok(DeliveryResult { attempts: attempt, last: outcome });
            };
            ctx.set_current_details(format!("attempt {attempt} failed: {error}"));
            let timer =
                TimerOptions::builder(wait).summary(format!("wait before attempt {}", attempt + 1)).build();
            if ctx.timer(timer).await == TimerResult::Cancelled {
                return Err(WorkflowTermination::cancelled());
            }
            attempt += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_as_the_contract_says() {
        let schedule = RetrySchedule::default();
        let seconds: Vec<_> = (1..=9).map(|a| schedule.wait_after(a).map(|w| w.as_secs())).collect();
        assert_eq!(
            seconds,
            [30, 60, 120, 240, 480, 960, 1920, 3600].into_iter().map(Some).chain([None]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn each_round_has_a_workflow_of_its_own() {
        let input = |round| DeliveryInput {
            event_id: EventId::of("a"),
            endpoint_id: WebhookEndpointId::trusted("whe_1"),
            round,
            schedule: RetrySchedule::default(),
        };
        assert_eq!(input(0).workflow_id(), "webhook:evt_a:whe_1");
        assert_eq!(input(2).workflow_id(), "webhook:evt_a:whe_1:2");
        assert!(!serde_json::to_string(&input(0)).unwrap().contains("round"), "as histories have it");
    }

    #[test]
    fn waits_never_pass_the_cap_nor_overflow() {
        let schedule = RetrySchedule { first_wait_ms: u64::MAX / 2, longest_wait_ms: 7_000, retries: 200 };
        assert!((1..=200).all(|attempt| schedule.wait_after(attempt) == Some(Duration::from_secs(7))));
        assert_eq!((schedule.wait_after(0), schedule.wait_after(201)), (None, None));
    }
}
