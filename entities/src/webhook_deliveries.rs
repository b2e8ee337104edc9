//! Deliveries: one event owed to one endpoint, and what became of it.

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

/// Failed deliveries in a row that turn an endpoint off (from the contract).
pub const MAX_CONSECUTIVE_FAILURES: i64 = 20;

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryStatus {
    /// Attempts go on.
    Pending,
    /// The endpoint answered 2xx.
    Delivered,
    /// Every attempt failed, or the endpoint went away.
    Failed,
}

impl DeliveryStatus {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            DeliveryStatus::Pending => "pending",
            DeliveryStatus::Delivered => "delivered",
            DeliveryStatus::Failed => "failed",
        }
    }

    /// Reads [`DeliveryStatus::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::Failed].into_iter().find(|s| s.as_str() == text)
    }
}

/// A delivery.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub struct Model {
    /// What is delivered.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: Text<EventId>,
    /// To where.
    #[sea_orm(primary_key, auto_increment = false)]
    pub endpoint_id: Text<WebhookEndpointId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// What became of it.
    pub status: Text<DeliveryStatus>,
    /// Attempts made.
    pub attempts: i64,
    /// HTTP status of the last answer.
    pub last_status: Option<i64>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// The beginning of the last answer's body.
    pub last_response: Option<String>,
    /// When the next attempt is made.
    pub next_attempt_at: Option<Millis>,
    /// Whether the failure of this delivery turned its endpoint off.
    pub disabled_endpoint: bool,
    /// When it became owed.
    pub created_at: Millis,
    /// When it was delivered or given up.
    pub finished_at: Option<Millis>,
    /// How often it was asked for again after it had ended.
    pub round: i64,
    /// Attempts made in the rounds before this one.
    pub attempts_before: i64,
}

no_relations!();
tenant_owned!();

/// One round of a delivery: the time it became owed, or a time it was asked for again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// What is delivered.
    pub event: EventId,
    /// To where.
    pub endpoint: WebhookEndpointId,
    /// 0 for the first.
    pub number: i64,
}

impl Round {
    /// The name under which something is promised once for this round.
    pub fn subject(&self) -> String {
        format!("{}:{}:{}", self.event, self.endpoint, self.number)
    }

    /// Reads [`Round::subject`].
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
    /// The round that is under way, or was the last.
    pub fn last_round(&self) -> Round {
        Round { event: self.event_id.0.clone(), endpoint: self.endpoint_id.0.clone(), number: self.round }
    }
}

/// How a delivery ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The endpoint answered 2xx.
    Delivered,
    /// Every attempt failed. Counts against the endpoint.
    Exhausted,
    /// Given up for another reason (the endpoint was turned off or deleted). Does not count.
    Abandoned,
}

/// What ending a delivery did. The same for the same delivery, however often it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// How it ended, by the first verdict.
    pub status: DeliveryStatus,
    /// Whether this delivery's failure turned its endpoint off, which its owner must be told.
    pub disabled_endpoint: bool,
}

/// Records that an event is owed to an endpoint. Says whether it is news.
///
/// # Errors
/// [`Error::Corrupt`] when event and endpoint are of different tenants.
pub async fn create_pending(
    txn: &WriteTxn,
    event: &EventRow,
    endpoint: &EndpointRow,
    now: Timestamp,
) -> Result<bool> {
    if event.tenant() != endpoint.tenant() {
        return Err(Error::corrupt(format!("{} is not for {}", event.id.0, endpoint.id.0)));
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

/// Asks for an event to be delivered to an endpoint (again), and promises that it will be. A delivery that is
/// still under way is left to it.
///
/// # Errors
/// [`Error::Corrupt`] when event and endpoint are of different tenants.
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
        system::of(&event.id, &endpoint.id)
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

/// The delivery of an event to an endpoint.
///
/// # Errors
/// Of the database.
pub async fn find(
    reader: &impl Reader,
    tenant: &Tenant,
    event: &EventId,
    endpoint: &WebhookEndpointId,
) -> Result<Option<Model>> {
    Ok(system::find(reader, event, endpoint).await?.filter(|delivery| delivery.tenant() == *tenant))
}

/// The deliveries to an endpoint, newest first. The keyset's id is the event's.
///
/// # Errors
/// Of the database.
pub async fn list_of_endpoint(
    reader: &impl Reader,
    tenant: &Tenant,
    endpoint: &WebhookEndpointId,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let rows = Entity::of(tenant).filter(Column::EndpointId.eq(endpoint.as_str()));
    table::page(reader, rows, (Column::CreatedAt, Column::EventId), request, |row| Keyset {
        created_at: row.created_at.as_millis(),
        id: row.event_id.to_string(),
    })
    .await
}

/// Returns the attempts of a delivery, in order; none if the tenant has no such delivery.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_attempts(
    reader: &impl Reader,
    tenant: &Tenant,
    event: &EventId,
    endpoint: &WebhookEndpointId,
) -> Result<Vec<webhook_attempts::Model>> {
    if find(reader, tenant, event, endpoint).await?.is_none() {
        return Ok(Vec::new());
    }
    webhook_attempts::of_delivery(reader, event, endpoint).await
}

/// For the workflows that deliver: they know event and endpoint by id alone.
pub mod system {
    use super::{
        Column, ColumnTrait, DeliveryStatus, Entity, Error, EventId, Expr, Finished, Kind,
        MAX_CONSECUTIVE_FAILURES, Model, NewAttempt, QueryFilter, Reader, Result, Round, Text, Timestamp,
        Verdict, WebhookEndpointId, WriteTxn, outbox, webhook_attempts, webhook_endpoints,
    };
    use sea_orm::{Condition, EntityTrait, QueryOrder, QuerySelect, sea_query::LockType};

    /// The delivery of an event to an endpoint.
    ///
    /// # Errors
    /// Of the database.
    pub async fn find(
        reader: &impl Reader,
        event: &EventId,
        endpoint: &WebhookEndpointId,
    ) -> Result<Option<Model>> {
        Ok(Entity::find_by_id((Text::from(event), Text::from(endpoint))).one(reader.conn()).await?)
    }

    /// Deliveries still pending whose next attempt was due before `before`, oldest first: what a reconciler
    /// looks through.
    ///
    /// # Errors
    /// Of the database.
    pub async fn list_overdue(reader: &impl Reader, before: Timestamp, limit: u64) -> Result<Vec<Model>> {
        let due = Condition::any()
            .add(Column::NextAttemptAt.is_null())
            .add(Column::NextAttemptAt.lt(before.as_millis()));
        let rows = Entity::find()
            .filter(Column::Status.eq(DeliveryStatus::Pending.as_str()))
            .filter(Column::CreatedAt.lt(before.as_millis()))
            .filter(due);
        Ok(rows.order_by_asc(Column::CreatedAt).limit(limit).all(reader.conn()).await?)
    }

    /// Records an attempt, once for each number. Says whether it is news; one of a round that is over is
    /// not.
    ///
    /// # Errors
    /// Of the database; no such delivery.
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
            of(event, endpoint)
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

    /// Ends a round, once. A success forgets the endpoint's failures; an exhausted one adds to them,
    /// and [`MAX_CONSECUTIVE_FAILURES`] in a row turn the endpoint off and promise its owner a mail.
    ///
    /// # Errors
    /// Of the database; no such delivery.
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
        let reason = count_against(txn, endpoint, verdict).await?;
        let disabled_endpoint = reason.is_some();
        of(event, endpoint)
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

    /// Keeps the endpoint's count of failures; says why it is turned off, if this did it.
    async fn count_against(
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
            .ok_or_else(|| Error::corrupt(format!("no delivery of {event} to {endpoint}")))
    }

    pub(super) fn of(event: &EventId, endpoint: &WebhookEndpointId) -> sea_orm::UpdateMany<Entity> {
        Entity::update_many()
            .filter(Column::EventId.eq(event.as_str()))
            .filter(Column::EndpointId.eq(endpoint.as_str()))
    }
}
