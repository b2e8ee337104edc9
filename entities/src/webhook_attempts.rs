//! Attempts: every request made for a delivery.

use domain::{EventId, Timestamp, WebhookEndpointId};
use sea_orm::{IntoActiveModel, QueryOrder, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table};

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_attempts")]
pub struct Model {
    /// What was delivered.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: Text<EventId>,
    /// To where.
    #[sea_orm(primary_key, auto_increment = false)]
    pub endpoint_id: Text<WebhookEndpointId>,
    /// Counts the attempts of one delivery from 1, through all its rounds.
    #[sea_orm(primary_key, auto_increment = false)]
    pub attempt: i64,
    /// When it was made.
    pub at: Millis,
    /// HTTP status of the answer, if there was one.
    pub status: Option<i64>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
}

no_relations!();

/// One attempt, as it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttempt {
    /// Counts the attempts of one round from 1.
    pub attempt: i64,
    /// When it was made.
    pub at: Timestamp,
    /// HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// The beginning of the answer's body.
    pub response: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// When the next attempt is made, if there is to be one.
    pub next_attempt_at: Option<Timestamp>,
}

/// Returns the attempts of a delivery, in order.
pub(crate) async fn of_delivery(
    reader: &impl Reader,
    event: &EventId,
    endpoint: &WebhookEndpointId,
) -> Result<Vec<Model>> {
    let rows = Entity::find()
        .filter(Column::EventId.eq(event.as_str()))
        .filter(Column::EndpointId.eq(endpoint.as_str()));
    Ok(rows.order_by_asc(Column::Attempt).all(reader.conn()).await?)
}

/// Writes an attempt unless its number is taken.
pub(crate) async fn insert_new(
    txn: &WriteTxn,
    event: &EventId,
    endpoint: &WebhookEndpointId,
    number: i64,
    attempt: &NewAttempt,
) -> Result<bool> {
    let row = Model {
        event_id: Text::from(event),
        endpoint_id: Text::from(endpoint),
        attempt: number,
        at: attempt.at.into(),
        status: attempt.status.map(i64::from),
        error: attempt.error.clone(),
        duration_ms: attempt.duration_ms,
    };
    let key = [Column::EventId, Column::EndpointId, Column::Attempt];
    table::insert_new(txn, row.into_active_model(), key).await
}
