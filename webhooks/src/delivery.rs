//! Delivery of an event to an endpoint: the steps of one attempt.

use domain::{Timestamp, mode::Tenant};
use entities::{
    Db, EndpointRow, EventRow, events,
    webhook_deliveries::{self, DeliveryStatus, NewAttempt, Round, Verdict},
    webhook_endpoints,
};
use outbound::{
    dial::Dialer,
    seal::Sealer,
    webhook::{self, Attempt, AttemptOutcome, SigningSecrets},
};

use crate::error::Result;

/// A round of a delivery that is still pending, with its endpoint and event.
#[derive(Debug)]
pub struct Delivery {
    endpoint: EndpointRow,
    event: EventRow,
}

impl Delivery {
    /// Returns the account and mode of the event.
    pub fn tenant(&self) -> Tenant {
        self.event.tenant()
    }
}

/// Loads a round of a delivery for an attempt.
///
/// Returns `None` if the round is finished, or if the endpoint was disabled or deleted; the round
/// is then finished as abandoned.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn load_delivery(db: &Db, round: &Round) -> Result<Option<Delivery>> {
    let delivery = webhook_deliveries::system::find(db, &round.event, &round.endpoint).await?;
    let is_pending =
        delivery.is_some_and(|d| d.last_round() == *round && d.status.0 == DeliveryStatus::Pending);
    if !is_pending {
        return Ok(None);
    }
    let endpoint = webhook_endpoints::system::find(db, &round.endpoint).await?;
    let event = events::system::find(db, &round.event).await?;
    let (Some(endpoint), Some(event)) = (endpoint.filter(|e| e.enabled), event) else {
        finish_round(db, round, Verdict::Abandoned).await?;
        return Ok(None);
    };
    Ok(Some(Delivery { endpoint, event }))
}

/// Signs the event and sends it to the endpoint once. The outcome says whether the endpoint
/// accepted it.
///
/// # Errors
/// Returns an error if the endpoint's secret cannot be decrypted.
pub async fn send_delivery(
    dialer: &Dialer,
    sealer: &Sealer,
    delivery: Delivery,
    now: Timestamp,
) -> Result<AttemptOutcome> {
    let Delivery { endpoint, event } = delivery;
    let secrets = signing_secrets(sealer, &endpoint, now)?;
    let attempt = Attempt { url: endpoint.url, secrets, event_id: event.id.0, body: event.body.into(), now };
    Ok(webhook::send(dialer, attempt).await)
}

/// Records the outcome of an attempt. Attempts of a round are numbered from 1.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn record_attempt(
    db: &Db,
    round: &Round,
    number: u32,
    outcome: &AttemptOutcome,
    at: Timestamp,
    next_attempt_at: Option<Timestamp>,
) -> Result<()> {
    let attempt = NewAttempt {
        attempt: i64::from(number),
        at,
        status: outcome.status,
        error: outcome.error.as_ref().map(|e| format!("{}: {}", e.code.as_str(), e.message)),
        response: outcome.response.clone(),
        duration_ms: i64::try_from(outcome.duration_ms).unwrap_or(i64::MAX),
        next_attempt_at,
    };
    db.write(async |txn| webhook_deliveries::system::record_attempt(&txn, round, &attempt).await).await?;
    Ok(())
}

/// Finishes a round. If too many deliveries in a row have failed, disables the endpoint and
/// enqueues a mail to its owner in the same transaction.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn finish_round(db: &Db, round: &Round, verdict: Verdict) -> Result<()> {
    let now = Timestamp::now();
    let finished =
        db.write(async |txn| webhook_deliveries::system::finish(&txn, round, verdict, now).await).await?;
    if finished.disabled_endpoint {
        let endpoint = &round.endpoint;
        tracing::warn!(%endpoint, "webhook endpoint disabled: too many deliveries in a row failed");
    }
    Ok(())
}

/// Decrypts the secrets with which requests to the endpoint are signed.
pub(crate) fn signing_secrets(
    sealer: &Sealer,
    endpoint: &EndpointRow,
    now: Timestamp,
) -> Result<SigningSecrets> {
    let (current, retiring) = (&endpoint.secret_ciphertext, endpoint.retiring_secret(now));
    Ok(SigningSecrets::open(sealer, endpoint.id.as_str(), current, retiring)?)
}
