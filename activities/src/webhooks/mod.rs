//! Deliveries: who is told, and one attempt to tell them.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

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

use crate::{
    Parts,
    error::{busy, database, retry},
    failpoint::failpoint,
    in_flight::InFlight,
};

/// When a request is tried again for which its endpoint had no place.
const NO_PLACE_WAIT: Duration = Duration::from_secs(3);

/// Implements `workflows::contract::Webhooks`.
pub struct WebhookActivities {
    pub(crate) parts: Arc<Parts>,
    pub(crate) in_flight: InFlight,
}

#[activities]
impl WebhookActivities {
    /// Puts down one delivery for each endpoint that subscribed, and starts their workflows.
    #[activity(definition = contract::EmitEvent)]
    pub async fn emit_event(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: EmitInput,
    ) -> Result<EmitOutput, ActivityError> {
        let deliveries =
            crate::events::emit(&self.parts, &input.event_id).await.map_err(|e| retry("EMIT", e))?;
        failpoint("emit_event").await?;
        Ok(EmitOutput { deliveries })
    }

    /// Signs and sends once, and records what came of it. If the worker dies between sending and
    /// recording, the attempt is made again: at least once is the contract, and receivers know the id.
    #[activity(definition = contract::Deliver)]
    pub async fn deliver(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: DeliverInput,
    ) -> Result<DeliverOutput, ActivityError> {
        let parts = &self.parts;
        let round =
            Round { event: input.event_id.clone(), endpoint: input.endpoint_id.clone(), number: input.round };
        let _place = self.in_flight.enter(&round.endpoint).ok_or_else(|| {
            busy("ENDPOINT_BUSY", "as many requests to the endpoint are under way as may be", NO_PLACE_WAIT)
        })?;
        let delivery = webhook_deliveries::system::find(&parts.db, &round.event, &round.endpoint)
            .await
            .map_err(database)?;
        let is_open =
            delivery.is_some_and(|d| d.last_round() == round && d.status.0 == DeliveryStatus::Pending);
        if !is_open {
            return Ok(DeliverOutput::Dropped);
        }
        let endpoint = webhook_endpoints::system::find(&parts.db, &round.endpoint).await.map_err(database)?;
        let event = events::system::find(&parts.db, &round.event).await.map_err(database)?;
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
        let outcome = webhook::send(&parts.dialer, attempt).await;
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
        SigningSecrets::open(&self.parts.sealer, endpoint.id.as_str(), current, retiring)
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
            next_attempt_at: self.parts.retries.wait_after(number).map(|wait| at.plus(wait)),
        };
        self.parts
            .db
            .write(async |txn| webhook_deliveries::system::record_attempt(&txn, round, &attempt).await)
            .await
            .map_err(database)?;
        Ok(())
    }

    async fn finish(&self, round: &Round, verdict: Verdict) -> Result<(), ActivityError> {
        let now = Timestamp::now();
        let finished = self
            .parts
            .db
            .write(async |txn| webhook_deliveries::system::finish(&txn, round, verdict, now).await)
            .await
            .map_err(database)?;
        if finished.disabled_endpoint {
            // Its owner is told by mail: the promise was made in the same transaction.
            let endpoint = &round.endpoint;
            tracing::warn!(%endpoint, "endpoint turned off: too many deliveries in a row failed");
        }
        Ok(())
    }
}
