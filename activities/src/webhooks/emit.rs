//! Telling endpoints of an event: one delivery row and one workflow for each that subscribed.

use domain::{EventId, Timestamp};
use entities::{
    events,
    outbox::{self, Kind},
    webhook_deliveries::{self, DeliveryStatus, Round},
    webhook_endpoints,
};
use workflows::{DeliveryInput, client::EngineError};

use crate::Parts;

/// Why an event could not be passed on yet.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmitError {
    #[error(transparent)]
    Database(#[from] entities::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Starts the deliveries of an event and says how many there are. Repeats start nothing twice: a
/// delivery's row and its workflow's id are made of event and endpoint.
pub(crate) async fn emit(parts: &Parts, id: &EventId) -> Result<u32, EmitError> {
    let Some(event) = events::system::find(&parts.db, id).await? else {
        tracing::warn!(event = %id, "an event that is to be emitted does not exist");
        return Ok(0);
    };
    let tenant = event.tenant();
    let now = Timestamp::now();
    let endpoints = webhook_endpoints::list_subscribed(&parts.db, &tenant, event.event_type.0).await?;
    for endpoint in &endpoints {
        parts
            .db
            .write(async |txn| webhook_deliveries::create_pending(&txn, &event, endpoint, now).await)
            .await?;
        start(parts, &Round { event: id.clone(), endpoint: endpoint.id.0.clone(), number: 0 }).await?;
    }
    outbox::done(&parts.db, Kind::Event, id.as_str(), now).await?;
    Ok(u32::try_from(endpoints.len()).unwrap_or(u32::MAX))
}

/// Starts a round of a delivery that someone asked for, unless it is over. Repeats start nothing twice.
pub(crate) async fn deliver_again(parts: &Parts, round: Round) -> Result<(), EmitError> {
    let delivery = webhook_deliveries::system::find(&parts.db, &round.event, &round.endpoint).await?;
    match delivery {
        Some(d) if d.round == round.number && d.status.0 == DeliveryStatus::Pending => {
            Ok(start(parts, &round).await?)
        }
        _ => Ok(()),
    }
}

/// Starts a round's workflow, unless it was started before.
pub(crate) async fn start(parts: &Parts, round: &Round) -> Result<(), EngineError> {
    let summary = format!("{} to {}", round.event, round.endpoint);
    parts.engine.start_delivery(delivery(parts, round), summary).await
}

/// The workflow of a round.
pub(crate) fn delivery(parts: &Parts, round: &Round) -> DeliveryInput {
    DeliveryInput {
        event_id: round.event.clone(),
        endpoint_id: round.endpoint.clone(),
        round: round.number,
        schedule: parts.retries,
    }
}
