//! Deliveries of one event to one endpoint.

use domain::{
    AccountId, EventId, Timestamp, WebhookEndpointId,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use sea_orm::{IntoActiveModel, entity::prelude::*};

use crate::{
    EndpointRow, Error, EventRow, Millis, Reader, Result, Text, WriteTxn,
    outbox::{self, Kind},
    table,
    table::TenantOwned,
    webhook_attempts, webhook_endpoints,
};

pub use crate::webhook_attempts::NewAttempt;

/// Number of consecutive failed deliveries that disables an endpoint.
pub const MAX_CONSECUTIVE_FAILURES: i64 = 20;

/// Status of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryStatus {
    /// Attempts continue.
    Pending,
    /// The endpoint responded with 2xx.
    Delivered,
    /// Every attempt failed, or the endpoint was disabled or deleted.
    Failed,
}

impl DeliveryStatus {
    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            DeliveryStatus::Pending => "pending",
            DeliveryStatus::Delivered => "delivered",
            DeliveryStatus::Failed => "failed",
        }
    }

    /// Parses the result of [`DeliveryStatus::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::Failed].into_iter().find(|s| s.as_str() == text)
    }
}

/// A delivery.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub struct Model {
    /// The event.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: Text<EventId>,
    /// The receiving endpoint.
    #[sea_orm(primary_key, auto_increment = false)]
    pub endpoint_id: Text<WebhookEndpointId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Status of the delivery.
    pub status: Text<DeliveryStatus>,
    /// Number of attempts.
    pub attempts: i64,
    /// HTTP status of the last response.
    pub last_status: Option<i64>,
    /// Error message of the last attempt.
    pub last_error: Option<String>,
    /// First part of the last response's body.
    pub last_response: Option<String>,
    /// Time of the next attempt.
    pub next_attempt_at: Option<Millis>,
    /// Whether the failure of this delivery disabled its endpoint.
    pub disabled_endpoint: bool,
    /// Creation time.
    pub created_at: Millis,
    /// Time at which it was delivered or failed.
    pub finished_at: Option<Millis>,
    /// Number of the current round. A replay of a finished delivery begins a new round.
    pub round: i64,
    /// Number of attempts in earlier rounds.
    pub attempts_before: i64,
}

no_relations!();
tenant_owned!();

/// One round of a delivery: the first delivery, or one replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The event.
    pub event: EventId,
    /// The receiving endpoint.
    pub endpoint: WebhookEndpointId,
    /// Number of the round; 0 for the first.
    pub number: i64,
}

impl Round {
    /// Returns the outbox subject of this round.
    pub fn subject(&self) -> String {
        format!("{}:{}:{}", self.event, self.endpoint, self.number)
    }

    /// Parses the result of [`Round::subject`].
    pub fn of_subject(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ':');
        let (event, endpoint, number) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self {
            event: EventId::trusted(event),
            endpoint: endpoint.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

impl Model {
    /// Returns the delivery's position in a walk with [`system::list_overdue`].
    pub fn position(&self) -> system::Position {
        (self.created_at, self.event_id.clone(), self.endpoint_id.clone())
    }

    /// Returns the current or last round.
    pub fn last_round(&self) -> Round {
        Round { event: self.event_id.0.clone(), endpoint: self.endpoint_id.0.clone(), number: self.round }
    }
}

/// Reason why a delivery ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The endpoint responded with 2xx.
    Delivered,
    /// Every attempt failed. Counts as a failure of the endpoint.
    Exhausted,
    /// Given up because the endpoint was disabled or deleted. Does not count as a failure.
    Abandoned,
}

/// Outcome of ending a delivery. Repeated calls return the same outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// Final status, by the first verdict.
    pub status: DeliveryStatus,
    /// Whether the failure disabled the endpoint, so that its owner is notified.
    pub disabled_endpoint: bool,
}

/// Creates the delivery of an event to an endpoint. Returns whether it is new.
///
/// # Errors
/// Returns [`Error::Corrupt`] if event and endpoint belong to different tenants, or an error if the
/// database fails.
pub async fn create_pending(
    txn: &WriteTxn,
    event: &EventRow,
    endpoint: &EndpointRow,
    now: Timestamp,
) -> Result<bool> {
    if event.tenant() != endpoint.tenant() {
        return Err(Error::corrupt(format!(
            "event {} and endpoint {} belong to different tenants",
            event.id.0, endpoint.id.0
        )));
    }
    let row = Model {
        event_id: event.id.clone(),
        endpoint_id: endpoint.id.clone(),
        account_id: event.account_id.clone(),
        livemode: event.livemode,
        status: DeliveryStatus::Pending.into(),
        attempts: 0,
        last_status: None,
        last_error: None,
        last_response: None,
        next_attempt_at: Some(now.into()),
        disabled_endpoint: false,
        created_at: now.into(),
        finished_at: None,
        round: 0,
        attempts_before: 0,
    };
    table::insert_new(txn, row.into_active_model(), [Column::EventId, Column::EndpointId]).await
}

/// Begins a new round of a delivery and enqueues it. A pending delivery is left unchanged.
///
/// # Errors
/// Returns [`Error::Corrupt`] if event and endpoint belong to different tenants, or an error if the
/// database fails.
pub async fn replay(
    txn: &WriteTxn,
    event: &EventRow,
    endpoint: &EndpointRow,
    now: Timestamp,
) -> Result<Model> {
    let is_new = create_pending(txn, event, endpoint, now).await?;
    let mut delivery = system::lock(txn, &event.id, &endpoint.id).await?;
    if !is_new {
        if delivery.status.0 == DeliveryStatus::Pending {
            return Ok(delivery);
        }
        delivery = Model {
            status: DeliveryStatus::Pending.into(),
            next_attempt_at: Some(now.into()),
            disabled_endpoint: false,
            finished_at: None,
            round: delivery.round + 1,
            attempts_before: delivery.attempts,
            ..delivery
        };
        system::update_of(&event.id, &endpoint.id)
            .col_expr(Column::Status, Expr::value(DeliveryStatus::Pending.as_str()))
            .col_expr(Column::NextAttemptAt, Expr::value(now.as_millis()))
            .col_expr(Column::DisabledEndpoint, Expr::value(false))
            .col_expr(Column::FinishedAt, Expr::value(None::<i64>))
            .col_expr(Column::Round, Expr::value(delivery.round))
            .col_expr(Column::AttemptsBefore, Expr::value(delivery.attempts_before))
            .exec(txn.conn())
            .await?;
    }
    let subject = delivery.last_round().subject();
    outbox::enqueue(txn, Kind::Delivery, &subject, &serde_json::json!({}), now, now).await?;
    Ok(delivery)
}

/// Returns the delivery of an event to an endpoint.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(
    reader: &impl Reader,
    tenant: &Tenant,
    event: &EventId,
    endpoint: &WebhookEndpointId,
) -> Result<Option<Model>> {
    Ok(system::find(reader, event, endpoint).await?.filter(|delivery| delivery.tenant() == *tenant))
}

/// Returns the deliveries to an endpoint, newest first. The keyset's id is the event id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_of_endpoint(
    reader: &impl Reader,
    tenant: &Tenant,
    endpoint: &WebhookEndpointId,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let rows = Entity::of(tenant).filter(Column::EndpointId.eq(endpoint.as_str()));
    table::page(reader, rows, (Column::CreatedAt, Column::EventId), request, |row| {
        Keyset::at(row.created_at.0, &row.event_id.0)
    })
    .await
}

/// Returns the last attempts of a delivery, newest first, at most `limit`, or `None` if the tenant has no
/// such delivery.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_attempts(
    reader: &impl Reader,
    tenant: &Tenant,
    event: &EventId,
    endpoint: &WebhookEndpointId,
    limit: u64,
) -> Result<Option<Vec<webhook_attempts::Model>>> {
    if find(reader, tenant, event, endpoint).await?.is_none() {
        return Ok(None);
    }
    Ok(Some(webhook_attempts::of_delivery(reader, event, endpoint, limit).await?))
}

/// Functions for the delivery workflows, which have only the ids of event and endpoint.
pub mod system {
    use super::{
        Column, ColumnTrait, DeliveryStatus, Entity, Error, EventId, Expr, Finished, Kind,
        MAX_CONSECUTIVE_FAILURES, Millis, Model, NewAttempt, QueryFilter, Reader, Result, Round, Text,
        Timestamp, Verdict, WebhookEndpointId, WriteTxn, outbox, webhook_attempts, webhook_endpoints,
    };
    use sea_orm::{Condition, EntityTrait, QueryOrder, QuerySelect, sea_query::LockType};

    /// Returns the delivery of an event to an endpoint.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn find(
        reader: &impl Reader,
        event: &EventId,
        endpoint: &WebhookEndpointId,
    ) -> Result<Option<Model>> {
        Ok(Entity::find_by_id((Text::from(event), Text::from(endpoint))).one(reader.conn()).await?)
    }

    /// Position in a walk with [`list_overdue`]: a delivery's time of creation, event and endpoint.
    pub type Position = (Millis, Text<EventId>, Text<WebhookEndpointId>);

    /// Returns a page of the pending deliveries whose next attempt was due before `before`, oldest
    /// first: those after the position `after`.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn list_overdue(
        reader: &impl Reader,
        before: Timestamp,
        after: Option<&Position>,
        limit: u64,
    ) -> Result<Vec<Model>> {
        let due = Condition::any()
            .add(Column::NextAttemptAt.is_null())
            .add(Column::NextAttemptAt.lt(before.as_millis()));
        // A literal: with a parameter, databases do not see that the partial index
        // `webhook_deliveries_pending` covers the query.
        let mut rows = Entity::find()
            .filter(Expr::cust(format!("status = '{}'", DeliveryStatus::Pending.as_str())))
            .filter(Column::CreatedAt.lt(before.as_millis()))
            .filter(due);
        if let Some((created_at, event, endpoint)) = after {
            let same_event = Condition::all()
                .add(Column::EventId.eq(event.as_str()))
                .add(Column::EndpointId.gt(endpoint.as_str()));
            let later = Condition::any()
                .add(Column::CreatedAt.gt(created_at.as_millis()))
                .add(Column::EventId.gt(event.as_str()))
                .add(same_event);
            rows = rows.filter(Column::CreatedAt.gte(created_at.as_millis())).filter(later);
        }
        let order = [Column::CreatedAt, Column::EventId, Column::EndpointId];
        let rows = order.into_iter().fold(rows, QueryOrder::order_by_asc);
        Ok(rows.limit(limit).all(reader.conn()).await?)
    }

    /// Records an attempt, once for each number. Returns whether it is new; attempts of an earlier
    /// round are ignored.
    ///
    /// # Errors
    /// Returns an error if the database fails or the delivery does not exist.
    pub async fn record_attempt(txn: &WriteTxn, round: &Round, attempt: &NewAttempt) -> Result<bool> {
        let (event, endpoint) = (&round.event, &round.endpoint);
        let delivery = lock(txn, event, endpoint).await?;
        let number = delivery.attempts_before + attempt.attempt;
        if delivery.round != round.number
            || !webhook_attempts::insert_new(txn, event, endpoint, number, attempt).await?
        {
            return Ok(false);
        }
        if delivery.attempts < number {
            update_of(event, endpoint)
                .col_expr(Column::Attempts, Expr::value(number))
                .col_expr(Column::LastStatus, Expr::value(attempt.status.map(i64::from)))
                .col_expr(Column::LastError, Expr::value(attempt.error.clone()))
                .col_expr(Column::LastResponse, Expr::value(attempt.response.clone()))
                .col_expr(
                    Column::NextAttemptAt,
                    Expr::value(attempt.next_attempt_at.map(Timestamp::as_millis)),
                )
                .exec(txn.conn())
                .await?;
        }
        Ok(true)
    }

    /// Ends a round, once. A success resets the endpoint's failures. An exhausted round counts as a
    /// failure; [`MAX_CONSECUTIVE_FAILURES`] in a row disable the endpoint and enqueue a mail to
    /// its owner.
    ///
    /// # Errors
    /// Returns an error if the database fails or the delivery does not exist.
    pub async fn finish(txn: &WriteTxn, round: &Round, verdict: Verdict, now: Timestamp) -> Result<Finished> {
        let (event, endpoint) = (&round.event, &round.endpoint);
        let delivery = lock(txn, event, endpoint).await?;
        if delivery.status.0 != DeliveryStatus::Pending || delivery.round != round.number {
            let disabled_endpoint = delivery.disabled_endpoint && delivery.round == round.number;
            return Ok(Finished { status: delivery.status.0, disabled_endpoint });
        }
        let status = match verdict {
            Verdict::Delivered => DeliveryStatus::Delivered,
            Verdict::Exhausted | Verdict::Abandoned => DeliveryStatus::Failed,
        };
        let reason = update_failures(txn, endpoint, verdict).await?;
        let disabled_endpoint = reason.is_some();
        update_of(event, endpoint)
            .col_expr(Column::Status, Expr::value(status.as_str()))
            .col_expr(Column::DisabledEndpoint, Expr::value(disabled_endpoint))
            .col_expr(Column::NextAttemptAt, Expr::value(None::<i64>))
            .col_expr(Column::FinishedAt, Expr::value(now.as_millis()))
            .exec(txn.conn())
            .await?;
        if let Some(reason) = reason {
            let payload = serde_json::json!({ "reason": reason });
            outbox::enqueue(txn, Kind::EndpointMail, &round.subject(), &payload, now, now).await?;
        }
        Ok(Finished { status, disabled_endpoint })
    }

    /// Updates the endpoint's number of failures. Returns the reason if this disabled the endpoint.
    async fn update_failures(
        txn: &WriteTxn,
        id: &WebhookEndpointId,
        verdict: Verdict,
    ) -> Result<Option<String>> {
        let Some(endpoint) = webhook_endpoints::system::lock(txn, id).await? else { return Ok(None) };
        let failures = match verdict {
            Verdict::Abandoned => return Ok(None),
            Verdict::Delivered => 0,
            Verdict::Exhausted => endpoint.consecutive_failures + 1,
        };
        let disable = endpoint.enabled && failures >= MAX_CONSECUTIVE_FAILURES;
        let reason = disable.then(|| format!("{failures} deliveries in a row failed"));
        webhook_endpoints::system::set_failures(txn, id, failures, reason.as_deref()).await?;
        Ok(reason)
    }

    pub(super) async fn lock(txn: &WriteTxn, event: &EventId, endpoint: &WebhookEndpointId) -> Result<Model> {
        Entity::find_by_id((Text::from(event), Text::from(endpoint)))
            .lock(LockType::NoKeyUpdate)
            .one(txn.conn())
            .await?
            .ok_or_else(|| Error::corrupt(format!("event {event} has no delivery to endpoint {endpoint}")))
    }

    pub(super) fn update_of(event: &EventId, endpoint: &WebhookEndpointId) -> sea_orm::UpdateMany<Entity> {
        Entity::update_many()
            .filter(Column::EventId.eq(event.as_str()))
            .filter(Column::EndpointId.eq(endpoint.as_str()))
    }
}
