//! The workflow of one webhook delivery: attempts, and the waits between them.
//!
//! The waits are durable timers instead of a retry policy, because the schedule spans hours, is
//! shown to the endpoint's owner, and is part of the public contract. `deliver` is an ordinary
//! activity: it calls a server that we don't control, and its queue has slots for many slow
//! receivers.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

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

/// Schedule of retries with exponential backoff. The public contract for deliveries: 8 retries, the
/// first after 30 seconds; the wait doubles each time, up to one hour. Tests shorten it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetrySchedule {
    /// Wait before the first retry, in milliseconds.
    pub first_wait_ms: u64,
    /// Maximum wait between two attempts, in milliseconds.
    pub longest_wait_ms: u64,
    /// Maximum number of retries after the first attempt.
    pub retries: u32,
}

impl Default for RetrySchedule {
    fn default() -> Self {
        Self { first_wait_ms: 30_000, longest_wait_ms: 3_600_000, retries: 8 }
    }
}

impl RetrySchedule {
    /// Returns the maximum number of attempts.
    pub const fn attempts(&self) -> u32 {
        self.retries + 1
    }

    /// Returns the wait after a failed attempt (1 is the first), or `None` if there are no more
    /// retries.
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
    /// Event to send.
    pub event_id: EventId,
    /// Endpoint to send it to.
    pub endpoint_id: WebhookEndpointId,
    /// Number of times that the endpoint's owner has requested a redelivery. Zero is the first
    /// round.
    #[serde(default, skip_serializing_if = "is_first")]
    pub round: i64,
    /// Schedule of the retries.
    #[serde(default)]
    pub schedule: RetrySchedule,
}

impl DeliveryInput {
    /// Returns the workflow id of this round.
    pub fn workflow_id(&self) -> String {
        let first = delivery_workflow_id(&self.event_id, &self.endpoint_id);
        if is_first(&self.round) { first } else { format!("{first}:{}", self.round) }
    }
}

/// Result of a delivery.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliveryResult {
    /// Number of attempts made.
    pub attempts: u32,
    /// Outcome of the last attempt.
    pub last: DeliverOutput,
}

/// Delivers one event to one endpoint: repeats the activity `deliver` until the event is delivered
/// or dropped, or there are no more retries.
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
            let options = options::delivery(attempt, schedule.attempts());
            let outcome = ctx.execute_activity(Deliver, input, options).await.map_err(|e| {
                WorkflowTermination::from(
                    ApplicationFailure::builder(e).type_name("DELIVERY_ACTIVITY_FAILED".to_owned()).build(),
                )
            })?;
            let DeliverOutput::Failed { error, .. } = &outcome else {
                ctx.set_current_details(format!("delivered or dropped at attempt {attempt}"));
                return Ok(DeliveryResult { attempts: attempt, last: outcome });
            };
            let Some(wait) = wait else {
                ctx.set_current_details(format!("all {attempt} attempts failed: {error}"));
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
    fn follows_the_schedule_of_the_public_contract() {
        let schedule = RetrySchedule::default();
        let seconds: Vec<_> = (1..=9).map(|a| schedule.wait_after(a).map(|w| w.as_secs())).collect();
        assert_eq!(
            seconds,
            [30, 60, 120, 240, 480, 960, 1920, 3600].into_iter().map(Some).chain([None]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn gives_each_round_its_own_workflow_id() {
        let input = |round| DeliveryInput {
            event_id: EventId::of("a"),
            endpoint_id: WebhookEndpointId::trusted("whe_1"),
            round,
            schedule: RetrySchedule::default(),
        };
        assert_eq!(input(0).workflow_id(), "webhook:evt_a:whe_1");
        assert_eq!(input(2).workflow_id(), "webhook:evt_a:whe_1:2");
        assert!(
            !serde_json::to_string(&input(0)).unwrap().contains("round"),
            "the first round is absent in recorded histories"
        );
    }

    #[test]
    fn caps_waits_without_overflow() {
        let schedule = RetrySchedule { first_wait_ms: u64::MAX / 2, longest_wait_ms: 7_000, retries: 200 };
        assert!((1..=200).all(|attempt| schedule.wait_after(attempt) == Some(Duration::from_secs(7))));
        assert_eq!((schedule.wait_after(0), schedule.wait_after(201)), (None, None));
    }
}
