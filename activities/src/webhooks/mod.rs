//! Activities that deliver events to webhook endpoints.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

mod delivery_limiter;
mod emit;

use std::{sync::Arc, time::Duration};

use domain::Timestamp;
use entities::webhook_deliveries::{Round, Verdict};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use webhooks::{finish_round, load_delivery, record_attempt, send_delivery};
use workflows::contract::{self, DeliverInput, DeliverOutput, EmitInput, EmitOutput};

pub(crate) use delivery_limiter::DeliveryLimiter;
use delivery_limiter::wait_after_refusal;
pub(crate) use emit::{EmitError, delivery_input, emit, redeliver, start_delivery};

use crate::{
    Dependencies,
    error::{busy, database, retry},
    failpoint,
    heartbeat::with_heartbeats,
    metrics::DeliveryOutcome,
};

/// Implements `workflows::contract::Webhooks`.
pub struct WebhookActivities {
    pub(crate) deps: Arc<Dependencies>,
    pub(crate) limiter: DeliveryLimiter,
}

#[activities]
impl WebhookActivities {
    /// Records one delivery for each subscribed endpoint, and starts the workflows of the
    /// deliveries.
    #[activity(definition = contract::EmitEvent)]
    pub async fn emit_event(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: EmitInput,
    ) -> Result<EmitOutput, ActivityError> {
        failpoint::around("emit_event", input.event_id.as_str(), async {
            let emitting = emit(&self.deps, &input.event_id);
            let deliveries = with_heartbeats(&ctx, emitting).await?.map_err(|e| retry("EMIT", e))?;
            Ok(EmitOutput { deliveries })
        })
        .await
    }

    /// Signs and sends the event once, and records the attempt. If the worker dies between sending
    /// and recording, the attempt is repeated: delivery is at least once, and receivers deduplicate
    /// by the event's id.
    #[activity(definition = contract::Deliver)]
    pub async fn deliver(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: DeliverInput,
    ) -> Result<DeliverOutput, ActivityError> {
        let round =
            Round { event: input.event_id.clone(), endpoint: input.endpoint_id.clone(), number: input.round };
        let wait = wait_after_refusal(&round.subject(), ctx.info().attempt);
        let _permit = self.limiter.endpoints.try_acquire(&round.endpoint).ok_or_else(|| {
            self.delayed("ENDPOINT_BUSY", "too many requests to the endpoint are in flight", wait)
        })?;
        failpoint::around("deliver", input.event_id.as_str(), self.attempt(&round, &input, wait)).await
    }
}

impl WebhookActivities {
    /// Makes one attempt of a round, unless the round has ended. If its account has too many requests in
    /// flight, the attempt is made after `wait`.
    async fn attempt(
        &self,
        round: &Round,
        input: &DeliverInput,
        wait: Duration,
    ) -> Result<DeliverOutput, ActivityError> {
        let deps = &self.deps;
        let Some(delivery) = load_delivery(&deps.db, round).await.map_err(failed)? else {
            deps.metrics.record_delivery(DeliveryOutcome::Dropped);
            return Ok(DeliverOutput::Dropped);
        };
        let account = delivery.tenant().account_id;
        let _permit = self.limiter.accounts.try_acquire(&account).ok_or_else(|| {
            self.delayed("ACCOUNT_BUSY", "too many requests of the account are in flight", wait)
        })?;
        let now = Timestamp::now();
        let outcome = send_delivery(&deps.dialer, &deps.sealer, delivery, now).await.map_err(failed)?;
        let next = deps.retries.wait_after(input.attempt).map(|wait| now.plus(wait));
        record_attempt(&deps.db, round, input.attempt, &outcome, now, next).await.map_err(failed)?;
        failpoint::trigger("deliver_recorded", input.event_id.as_str()).await?;
        if outcome.ok {
            finish_round(&deps.db, round, Verdict::Delivered).await.map_err(failed)?;
            deps.metrics.record_delivery(DeliveryOutcome::Delivered);
            return Ok(DeliverOutput::Delivered { status: outcome.status.unwrap_or(200) });
        }
        if input.last {
            finish_round(&deps.db, round, Verdict::Exhausted).await.map_err(failed)?;
        }
        let counted = if input.last { DeliveryOutcome::Exhausted } else { DeliveryOutcome::Failed };
        deps.metrics.record_delivery(counted);
        let error = outcome.error.map_or_else(String::new, |e| format!("{}: {}", e.code.as_str(), e.message));
        Ok(DeliverOutput::Failed { status: outcome.status, error })
    }

    /// Counts an attempt that is made after `wait`, and returns the error that says so.
    fn delayed(&self, kind: &str, message: &'static str, wait: Duration) -> ActivityError {
        self.deps.metrics.record_delivery(DeliveryOutcome::Delayed);
        busy(kind, message, wait)
    }
}

fn failed(error: webhooks::Error) -> ActivityError {
    match error {
        webhooks::Error::Sealed(error) => retry("SEALED_SECRET", error),
        error => database(error),
    }
}
