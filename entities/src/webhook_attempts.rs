//! Delivery attempts: every HTTP request of a delivery.

use domain::{EventId, Timestamp, WebhookEndpointId};
use sea_orm::{IntoActiveModel, QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table};

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_attempts")]
pub struct Model {
    /// The delivered event.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: Text<EventId>,
    /// The receiving endpoint.
    #[sea_orm(primary_key, auto_increment = false)]
    pub endpoint_id: Text<WebhookEndpointId>,
    /// Number of the attempt, counted from 1 over all rounds of the delivery.
    #[sea_orm(primary_key, auto_increment = false)]
    pub attempt: i64,
    /// Time of the attempt.
    pub at: Millis,
    /// HTTP status of the response, if there was one.
    pub status: Option<i64>,
    /// Error message of a failed attempt.
    pub error: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i64,
}

no_relations!();

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttempt {
    /// Number of the attempt, counted from 1 in each round.
    pub attempt: i64,
    /// Time of the attempt.
    pub at: Timestamp,
    /// HTTP status of the response, if there was one.
    pub status: Option<u16>,
    /// Error message of a failed attempt.
    pub error: Option<String>,
    /// First part of the response's body.
    pub response: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// Time of the next attempt, if there is one.
    pub next_attempt_at: Option<Timestamp>,
}

/// Returns the last attempts of a delivery, newest first, at most `limit`.
pub(crate) async fn of_delivery(
    reader: &impl Reader,
    event: &EventId,
    endpoint: &WebhookEndpointId,
    limit: u64,
) -> Result<Vec<Model>> {
    let rows = Entity::find()
        .filter(Column::EventId.eq(event.as_str()))
        .filter(Column::EndpointId.eq(endpoint.as_str()));
    Ok(rows.order_by_desc(Column::Attempt).limit(limit).all(reader.conn()).await?)
}

/// Inserts an attempt unless its number is taken.
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
