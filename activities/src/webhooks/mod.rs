//! Activities that deliver events to webhook endpoints.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

mod emit;
mod endpoint_limiter;

use std::{sync::Arc, time::Duration};

use domain::Timestamp;
use entities::{
    EndpointRow, events, webhook_deliveries,
    webhook_deliveries::{DeliveryStatus, NewAttempt, Round, Verdict},
    webhook_endpoints,
};
use outbound::webhook::{self, Attempt, AttemptOutcome, SigningSecrets};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, DeliverInput, DeliverOutput, EmitInput, EmitOutput};

pub(crate) use emit::{EmitError, delivery_input, emit, redeliver, start_delivery};
pub(crate) use endpoint_limiter::EndpointLimiter;

use crate::{
    Dependencies,
    error::{busy, database, retry},
    failpoint::failpoint,
};

/// Wait before the next attempt if too many requests to the endpoint are in flight.
const ENDPOINT_BUSY_WAIT: Duration = Duration::from_secs(3);

/// Implements `workflows::contract::Webhooks`.
pub struct WebhookActivities {
    pub(crate) deps: Arc<Dependencies>,
    pub(crate) limiter: EndpointLimiter,
}

#[activities]
impl WebhookActivities {
    /// Records one delivery for each subscribed endpoint, and starts the workflows of the
    /// deliveries.
    #[activity(definition = contract::EmitEvent)]
    pub async fn emit_event(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: EmitInput,
    ) -> Result<EmitOutput, ActivityError> {
        let deliveries = emit(&self.deps, &input.event_id).await.map_err(|e| retry("EMIT", e))?;
        failpoint("emit_event").await?;
        Ok(EmitOutput { deliveries })
    }

    /// Signs and sends the event once, and records the attempt. If the worker dies between sending
    /// and recording, the attempt is repeated: delivery is at least once, and receivers deduplicate
    /// by the event's id.
    #[activity(definition = contract::Deliver)]
    pub async fn deliver(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: DeliverInput,
    ) -> Result<DeliverOutput, ActivityError> {
        let deps = &self.deps;
        let round =
            Round { event: input.event_id.clone(), endpoint: input.endpoint_id.clone(), number: input.round };
        let _permit = self.limiter.try_acquire(&round.endpoint).ok_or_else(|| {
            busy("ENDPOINT_BUSY", "too many requests to the endpoint are in flight", ENDPOINT_BUSY_WAIT)
        })?;
        let delivery = webhook_deliveries::system::find(&deps.db, &round.event, &round.endpoint)
            .await
            .map_err(database)?;
        let is_open =
            delivery.is_some_and(|d| d.last_round() == round && d.status.0 == DeliveryStatus::Pending);
        if !is_open {
            return Ok(DeliverOutput::Dropped);
        }
        let endpoint = webhook_endpoints::system::find(&deps.db, &round.endpoint).await.map_err(database)?;
        let event = events::system::find(&deps.db, &round.event).await.map_err(database)?;
        let (Some(endpoint), Some(event)) = (endpoint.filter(|e| e.enabled), event) else {
            self.finish(&round, Verdict::Abandoned).await?;
            return Ok(DeliverOutput::Dropped);
        };
        let now = Timestamp::now();
        let attempt = Attempt {
            url: endpoint.url.clone(),
            secrets: self.secrets(&endpoint, now)?,
            event_id: input.event_id.clone(),
            body: event.body.into(),
            now,
        };
        let outcome = webhook::send(&deps.dialer, attempt).await;
        self.record(&round, input.attempt, &outcome, now).await?;
        failpoint("deliver").await?;
        if outcome.ok {
            self.finish(&round, Verdict::Delivered).await?;
            return Ok(DeliverOutput::Delivered { status: outcome.status.unwrap_or(200) });
        }
        if input.last {
            self.finish(&round, Verdict::Exhausted).await?;
        }
        let error = outcome.error.map_or_else(String::new, |e| format!("{}: {}", e.code.as_str(), e.message));
        Ok(DeliverOutput::Failed { status: outcome.status, error })
    }
}

impl WebhookActivities {
    fn secrets(&self, endpoint: &EndpointRow, now: Timestamp) -> Result<SigningSecrets, ActivityError> {
        let (current, retiring) = (&endpoint.secret_ciphertext, endpoint.retiring_secret(now));
        SigningSecrets::open(&self.deps.sealer, endpoint.id.as_str(), current, retiring)
            .map_err(|e| retry("SEALED_SECRET", e))
    }

    async fn record(
        &self,
        round: &Round,
        number: u32,
        outcome: &AttemptOutcome,
        at: Timestamp,
    ) -> Result<(), ActivityError> {
        let attempt = NewAttempt {
            attempt: i64::from(number),
            at,
            status: outcome.status,
            error: outcome.error.as_ref().map(|e| format!("{}: {}", e.code.as_str(), e.message)),
            response: outcome.response.clone(),
            duration_ms: i64::try_from(outcome.duration_ms).unwrap_or(i64::MAX),
            next_attempt_at: self.deps.retries.wait_after(number).map(|wait| at.plus(wait)),
        };
        self.deps
            .db
            .write(async |txn| webhook_deliveries::system::record_attempt(&txn, round, &attempt).await)
            .await
            .map_err(database)?;
        Ok(())
    }

    async fn finish(&self, round: &Round, verdict: Verdict) -> Result<(), ActivityError> {
        let now = Timestamp::now();
        let finished = self
            .deps
            .db
            .write(async |txn| webhook_deliveries::system::finish(&txn, round, verdict, now).await)
            .await
            .map_err(database)?;
        if finished.disabled_endpoint {
            // The same transaction wrote the outbox entry for the mail to the owner.
            let endpoint = &round.endpoint;
            tracing::warn!(%endpoint, "disabled an endpoint: too many consecutive deliveries failed");
        }
        Ok(())
    }
}
