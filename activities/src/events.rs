//! Telling endpoints of an event: one delivery row and one workflow for each that subscribed.

use domain::{EventId, Timestamp};
use entities::{
    events,
    outbox::{self, Kind},
    webhook_deliveries, webhook_endpoints,
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
        let input = DeliveryInput {
            event_id: id.clone(),
            endpoint_id: endpoint.id.0.clone(),
            schedule: parts.retries,
        };
        let summary = format!("{} to {}", event.event_type.as_str(), endpoint.url);
        parts.engine.start_delivery(input, summary).await?;
    }
    outbox::done(&parts.db, Kind::Event, id.as_str(), now).await?;
    Ok(u32::try_from(endpoints.len()).unwrap_or(u32::MAX))
}
