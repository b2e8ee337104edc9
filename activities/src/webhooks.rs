//! Deliveries: who is told, and one attempt to tell them.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::sync::Arc;

use domain::{EventId, Timestamp, WebhookEndpointId};
use entities::{
    EndpointRow, events, webhook_deliveries,
    webhook_deliveries::{DeliveryStatus, NewAttempt, Verdict},
    webhook_endpoints,
};
use outbound::webhook::{self, Attempt, AttemptOutcome, SigningSecrets};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, DeliverInput, DeliverOutput, EmitInput, EmitOutput};

use crate::{
    Parts,
    error::{database, retry},
    failpoint::failpoint,
};

/// Implements `workflows::contract::Webhooks`.
pub struct WebhookActivities {
    pub(crate) parts: Arc<Parts>,
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
        let delivery = webhook_deliveries::system::find(&parts.db, &input.event_id, &input.endpoint_id)
            .await
            .map_err(database)?;
        if delivery.is_none_or(|d| d.status.0 != DeliveryStatus::Pending) {
            return Ok(DeliverOutput::Dropped);
        }
        let endpoint =
            webhook_endpoints::system::find(&parts.db, &input.endpoint_id).await.map_err(database)?;
        let event = events::system::find(&parts.db, &input.event_id).await.map_err(database)?;
        let (Some(endpoint), Some(event)) = (endpoint.filter(|e| e.enabled), event) else {
            self.finish(&input.event_id, &input.endpoint_id, Verdict::Abandoned).await?;
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
        self.record(&input, &outcome, now).await?;
        failpoint("deliver").await?;
        if outcome.ok {
            self.finish(&input.event_id, &input.endpoint_id, Verdict::Delivered).await?;
            return Ok(DeliverOutput::Delivered { status: outcome.status.unwrap_or(200) });
        }
        if input.last {
            self.finish(&input.event_id, &input.endpoint_id, Verdict::Exhausted).await?;
        }
        let error = outcome.error.map_or_else(String::new, |e| format!("{}: {}", e.code.as_str(), e.message));
        Ok(DeliverOutput::Failed { status: outcome.status, error })
    }
}

impl WebhookActivities {
    /// The endpoint's secrets: the current one, and the one before it while a rotation overlaps.
    fn secrets(&self, endpoint: &EndpointRow, now: Timestamp) -> Result<SigningSecrets, ActivityError> {
        let open = |sealed: &str| {
            self.parts.sealer.open(sealed, endpoint.id.as_str()).map_err(|e| retry("SEALED_SECRET", e))
        };
        let overlapping = endpoint.previous_secret_expires_at.is_some_and(|until| until.0 > now);
        let retiring = match &endpoint.previous_secret_ciphertext {
            Some(sealed) if overlapping => Some(open(sealed)?),
            _ => None,
        };
        Ok(SigningSecrets { current: open(&endpoint.secret_ciphertext)?, retiring })
    }

    async fn record(
        &self,
        input: &DeliverInput,
        outcome: &AttemptOutcome,
        at: Timestamp,
    ) -> Result<(), ActivityError> {
        let attempt = NewAttempt {
            attempt: i64::from(input.attempt),
            at,
            status: outcome.status,
            error: outcome.error.as_ref().map(|e| format!("{}: {}", e.code.as_str(), e.message)),
            response: outcome.response.clone(),
            duration_ms: i64::try_from(outcome.duration_ms).unwrap_or(i64::MAX),
            next_attempt_at: self.parts.retries.wait_after(input.attempt).map(|wait| at.plus(wait)),
        };
        let (event, endpoint) = (&input.event_id, &input.endpoint_id);
        self.parts
            .db
            .write(async |txn| {
                webhook_deliveries::system::record_attempt(&txn, event, endpoint, &attempt).await
            })
            .await
            .map_err(database)?;
        Ok(())
    }

    async fn finish(
        &self,
        event: &EventId,
        endpoint: &WebhookEndpointId,
        verdict: Verdict,
    ) -> Result<(), ActivityError> {
        let now = Timestamp::now();
        let finished = self
            .parts
            .db
            .write(async |txn| webhook_deliveries::system::finish(&txn, event, endpoint, verdict, now).await)
            .await
            .map_err(database)?;
        if finished.disabled_endpoint {
            tracing::warn!(%endpoint, "endpoint turned off: too many deliveries in a row failed");
        }
        Ok(())
    }
}
