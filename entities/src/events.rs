//! Events. Each is written once, in the transaction of the change it reports, and never changed.

use std::collections::HashMap;

use domain::{
    AccountId, EventId, Mode, ScanId,
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
    /// Sequence number in the order in which events become visible, so that a stream misses none.
    /// Numbers may be skipped.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// Id; the same fact always has the same id.
    #[sea_orm(unique)]
    pub id: Text<EventId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// See [`EventType`].
    pub event_type: Text<EventType>,
    /// The scan it reports on.
    pub scan_id: Option<Text<ScanId>>,
    /// JSON body; every delivery sends the same bytes.
    pub body: String,
    /// Time of recording.
    pub created_at: Millis,
}

/// Number of tenants of one query.
const TENANTS: usize = 256;

no_relations!();
tenant_owned!();

/// Inserts an event and the outbox entry of its delivery. Returns whether the event is new; an
/// existing event keeps its body. The workflow of a scan delivers the events of the scan itself, so
/// the relay gives it time to do so.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn publish(txn: &WriteTxn, tenant: &Tenant, scan: Option<&ScanId>, event: &Event) -> Result<bool> {
    let body =
        serde_json::to_string(event).map_err(|e| Error::corrupt(format!("event {}: {e}", event.id)))?;
    lock_stream(txn, tenant).await?;
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
        let (id, now) = (event.id.as_str(), event.created_at);
        match scan {
            Some(_) => outbox::enqueue_after_grace(txn, Kind::Event, id, now).await?,
            None => outbox::enqueue(txn, Kind::Event, id, &serde_json::json!({}), now, now).await?,
        };
    }
    Ok(new)
}

/// Locks the event stream of a tenant until the transaction ends. Without the lock, PostgreSQL
/// could make a lower number visible after a higher one, and a stream that has passed the higher
/// number would miss the event.
pub(crate) async fn lock_stream(txn: &WriteTxn, tenant: &Tenant) -> Result<()> {
    if txn.conn().get_database_backend() == DbBackend::Postgres {
        let stream = format!("events:{}:{}", tenant.account_id, tenant.mode.as_str());
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, lock, [stream.into()]);
        txn.conn().execute_raw(statement).await?;
    }
    Ok(())
}

/// Returns the event with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &EventId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Returns the events of a tenant, newest first, optionally of one type.
///
/// # Errors
/// Returns an error if the database fails.
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
    table::page(reader, events, columns, request, |row| Keyset::at(row.created_at.0, &row.id.0)).await
}

/// Returns the events of a tenant after sequence number `seq`, in order.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn after(reader: &impl Reader, tenant: &Tenant, seq: i64, limit: u64) -> Result<Vec<Model>> {
    let rows = Entity::of(tenant).filter(Column::Seq.gt(seq)).order_by_asc(Column::Seq).limit(limit);
    Ok(rows.all(reader.conn()).await?)
}

/// Returns the sequence number of a tenant's newest event, or 0. A new stream continues from there.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn last_seq(reader: &impl Reader, tenant: &Tenant) -> Result<i64> {
    let newest = Entity::of(tenant).order_by_desc(Column::Seq).one(reader.conn()).await?;
    Ok(newest.map_or(0, |event| event.seq))
}

/// Returns the sequence numbers of the newest events of several tenants. A tenant without events is
/// missing.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn last_seqs(reader: &impl Reader, tenants: &[Tenant]) -> Result<HashMap<Tenant, i64>> {
    let mut newest = HashMap::new();
    for batch in tenants.chunks(TENANTS) {
        let accounts: Vec<&str> = batch.iter().map(|tenant| tenant.account_id.as_str()).collect();
        let rows: Vec<(Text<AccountId>, bool, i64)> = Entity::find()
            .select_only()
            .columns([Column::AccountId, Column::Livemode])
            .column_as(Column::Seq.max(), "newest")
            .filter(Column::AccountId.is_in(table::pad_to_power_of_two(accounts)))
            .group_by(Column::AccountId)
            .group_by(Column::Livemode)
            .into_tuple()
            .all(reader.conn())
            .await?;
        newest.extend(rows.into_iter().map(|(account, livemode, seq)| {
            (Tenant { account_id: account.0, mode: Mode::from_livemode(livemode) }, seq)
        }));
    }
    Ok(newest)
}

/// Functions for deliveries, which have only the id of an event.
pub mod system {
    use super::{Column, ColumnTrait, Entity, EventId, Model, QueryFilter, Reader, Result};
    use sea_orm::EntityTrait;

    /// Returns the event with this id, of any tenant.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn find(reader: &impl Reader, id: &EventId) -> Result<Option<Model>> {
        Ok(Entity::find().filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
    }
}
