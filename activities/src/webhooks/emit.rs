//! Starts the deliveries of an event: one row and one workflow for each subscribed endpoint.

use domain::{AccountId, EventId, Timestamp};
use entities::{
    events,
    outbox::{self, Kind},
    webhook_deliveries::{self, DeliveryStatus, Round},
    webhook_endpoints,
};
use workflows::{
    DeliveryInput, RetrySchedule,
    client::{Engine, EngineError},
};

use crate::Dependencies;

/// Why deliveries could not be started. It is tried again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmitError {
    #[error(transparent)]
    Database(#[from] entities::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Starts the deliveries of an event and returns their number. Idempotent: event and endpoint
/// identify the row and the workflow of a delivery.
pub(crate) async fn emit(deps: &Dependencies, id: &EventId) -> Result<u32, EmitError> {
    let Some(event) = events::system::find(&deps.db, id).await? else {
        tracing::warn!(event = %id, "the event to emit does not exist");
        return Ok(0);
    };
    let tenant = event.tenant();
    let now = Timestamp::now();
    let endpoints = webhook_endpoints::list_subscribed(&deps.db, &tenant, event.event_type.0).await?;
    for endpoint in &endpoints {
        deps.db
            .write(async |txn| webhook_deliveries::create_pending(&txn, &event, endpoint, now).await)
            .await?;
        let round = Round { event: id.clone(), endpoint: endpoint.id.0.clone(), number: 0 };
        start_delivery(&deps.engine, deps.retries, &round, &tenant.account_id).await?;
    }
    outbox::complete(&deps.db, Kind::Event, id.as_str(), now).await?;
    Ok(u32::try_from(endpoints.len()).unwrap_or(u32::MAX))
}

/// Starts a round that the endpoint's owner requested, unless it has ended. Idempotent.
pub(crate) async fn redeliver(deps: &Dependencies, round: Round) -> Result<(), EmitError> {
    let delivery = webhook_deliveries::system::find(&deps.db, &round.event, &round.endpoint).await?;
    match delivery {
        Some(d) if d.round == round.number && d.status.0 == DeliveryStatus::Pending => {
            Ok(start_delivery(&deps.engine, deps.retries, &round, &d.tenant().account_id).await?)
        }
        _ => Ok(()),
    }
}

/// Starts the workflow of a round of an account, unless it has been started before.
pub(crate) async fn start_delivery(
    engine: &Engine,
    retries: RetrySchedule,
    round: &Round,
    account: &AccountId,
) -> Result<(), EngineError> {
    let summary = format!("{} to {}", round.event, round.endpoint);
    engine.start_delivery(delivery_input(retries, round), account, summary).await
}

/// Builds the input of the workflow of a round.
pub(crate) fn delivery_input(retries: RetrySchedule, round: &Round) -> DeliveryInput {
    DeliveryInput {
        event_id: round.event.clone(),
        endpoint_id: round.endpoint.clone(),
        round: round.number,
        schedule: retries,
    }
}
