//! Activities of webhook deliveries: starts the deliveries of an event, and makes one attempt.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::{sync::Arc, time::Duration};

use domain::Timestamp;
use entities::webhook_deliveries::{Round, Verdict};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use webhooks::{finish_round, load_delivery, record_attempt, send_delivery};
use workflows::contract::{self, DeliverInput, DeliverOutput, EmitInput, EmitOutput};

use crate::{
    Parts,
    error::{busy, database, retry},
    failpoint::failpoint,
    in_flight::InFlight,
};

/// Time until a retry if the endpoint has the maximum number of requests in flight.
const BUSY_RETRY_DELAY: Duration = Duration::from_secs(3);

/// Implements `workflows::contract::Webhooks`.
pub struct WebhookActivities {
    pub(crate) parts: Arc<Parts>,
    pub(crate) in_flight: InFlight,
}

#[activities]
impl WebhookActivities {
    /// Creates a delivery for each subscribed endpoint and starts its workflow.
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

    /// Makes one attempt and records its outcome. If the worker dies between sending and recording,
    /// the attempt is repeated: delivery is at least once, and receivers deduplicate by event id.
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
            busy(
                "ENDPOINT_BUSY",
                "the endpoint has the maximum number of requests in flight",
                BUSY_RETRY_DELAY,
            )
        })?;
        let Some(delivery) = load_delivery(&parts.db, &round).await.map_err(failed)? else {
            return Ok(DeliverOutput::Dropped);
        };
        let now = Timestamp::now();
        let outcome = send_delivery(&parts.dialer, &parts.sealer, delivery, now).await.map_err(failed)?;
        let next = parts.retries.wait_after(input.attempt).map(|wait| now.plus(wait));
        record_attempt(&parts.db, &round, input.attempt, &outcome, now, next).await.map_err(failed)?;
        failpoint("deliver").await?;
        if outcome.ok {
            finish_round(&parts.db, &round, Verdict::Delivered).await.map_err(failed)?;
            return Ok(DeliverOutput::Delivered { status: outcome.status.unwrap_or(200) });
        }
        if input.last {
            finish_round(&parts.db, &round, Verdict::Exhausted).await.map_err(failed)?;
        }
        let error = outcome.error.map_or_else(String::new, |e| format!("{}: {}", e.code.as_str(), e.message));
        Ok(DeliverOutput::Failed { status: outcome.status, error })
    }
}

fn failed(error: webhooks::Error) -> ActivityError {
    match error {
        webhooks::Error::Sealed(error) => retry("SEALED_SECRET", error),
        error => database(error),
    }
}
