//! Events: facts, written once with the change of state they tell of, and never changed.

use domain::{
    AccountId, EventId, ScanId,
    event::{Event, EventType},
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    DbBackend, QueryOrder, QuerySelect, Statement,
    entity::prelude::*,
};

use crate::{
    Error, Millis, Reader, Result, Text, WriteTxn,
    outbox::{self, Kind},
    table,
    table::TenantOwned,
};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
pub struct Model {
    /// Orders the events of a tenant as they became visible, so that a stream misses none. Has gaps.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// Stable for the same fact.
    #[sea_orm(unique)]
    pub id: Text<EventId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// See [`EventType`].
    pub event_type: Text<EventType>,
    /// The scan it is about.
    pub scan_id: Option<Text<ScanId>>,
    /// The body, as it is sent: JSON, the same bytes for every delivery.
    pub body: String,
    /// When it was recorded.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// Writes an event and the promise to deliver it. Says whether it is new: an id that is there already
/// keeps its first body.
///
/// # Errors
/// Of the database.
pub async fn publish(txn: &WriteTxn, tenant: &Tenant, scan: Option<&ScanId>, event: &Event) -> Result<bool> {
    let body =
        serde_json::to_string(event).map_err(|e| Error::corrupt(format!("event {}: {e}", event.id)))?;
    hold_stream(txn, tenant).await?;
    let row = ActiveModel {
        seq: NotSet,
        id: Set(Text::from(&event.id)),
        account_id: Set(Text::from(&tenant.account_id)),
        livemode: Set(tenant.mode.livemode()),
        event_type: Set(Text(event.event_type)),
        scan_id: Set(scan.map(Text::from)),
        body: Set(body),
        created_at: Set(event.created_at.into()),
    };
    let new = table::insert_new(txn, row, [Column::Id]).await?;
    if new {
        let now = event.created_at;
        outbox::enqueue(txn, Kind::Event, event.id.as_str(), &serde_json::json!({}), now, now).await?;
    }
    Ok(new)
}

/// Lets one transaction at a time number the events of a tenant. Without this, PostgreSQL could make a
/// lower number visible after a higher one, and a stream that has passed the higher would miss it.
pub(crate) async fn hold_stream(txn: &WriteTxn, tenant: &Tenant) -> Result<()> {
    if txn.conn().get_database_backend() == DbBackend::Postgres {
        let stream = format!("events:{}:{}", tenant.account_id, tenant.mode.as_str());
        let hold = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, hold, [stream.into()]);
        txn.conn().execute_raw(statement).await?;
    }
    Ok(())
}

/// The event with this id.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &EventId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// The events of a tenant, newest first; only those of one type, if one is named.
///
/// # Errors
/// Of the database.
pub async fn list(
    reader: &impl Reader,
    tenant: &Tenant,
    of_type: Option<EventType>,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let columns = (Column::CreatedAt, Column::Id);
    let mut events = Entity::of(tenant);
    if let Some(of_type) = of_type {
        events = events.filter(Column::EventType.eq(of_type.as_str()));
    }
    table::page(reader, events, columns, request, |row| Keyset {
        created_at: row.created_at.as_millis(),
        id: row.id.to_string(),
    })
    .await
}

/// The events of a tenant after number `seq`, in order: what a stream sends next.
///
/// # Errors
/// Of the database.
pub async fn after(reader: &impl Reader, tenant: &Tenant, seq: i64, limit: u64) -> Result<Vec<Model>> {
    let rows = Entity::of(tenant).filter(Column::Seq.gt(seq)).order_by_asc(Column::Seq).limit(limit);
    Ok(rows.all(reader.conn()).await?)
}

/// The number of a tenant's newest event; 0 when there is none. A new stream goes on from here.
///
/// # Errors
/// Of the database.
pub async fn last_seq(reader: &impl Reader, tenant: &Tenant) -> Result<i64> {
    let newest = Entity::of(tenant).order_by_desc(Column::Seq).one(reader.conn()).await?;
    Ok(newest.map_or(0, |event| event.seq))
}

/// For deliveries, which act on an event by its id alone.
pub mod system {
    use super::{Column, ColumnTrait, Entity, EventId, Model, QueryFilter, Reader, Result};
    use sea_orm::EntityTrait;

    /// The event with this id, of whatever tenant.
    ///
    /// # Errors
    /// Of the database.
    pub async fn find(reader: &impl Reader, id: &EventId) -> Result<Option<Model>> {
        Ok(Entity::find().filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
    }
}
