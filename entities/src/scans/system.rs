//! Functions for activities, the relay and the ledger, which have only the id of a scan. The tenant
//! was checked when the work was requested.

use domain::{ScanId, ScanStatus, Timestamp, page::Keyset};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*, sea_query::LockType};

use super::{Column, Entity, Model};
use crate::{Reader, Result, Text, WriteTxn, table};

/// Returns the scan with this id, of any tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, id: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
}

/// Returns the scan with this id and locks it until the transaction ends.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn lock(txn: &WriteTxn, id: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).lock(LockType::NoKeyUpdate).one(txn.conn()).await?)
}

/// Returns the scan's position in a walk with [`list_open`].
pub fn position_of(scan: &Model) -> Keyset {
    Keyset::at(scan.created_at.0, &scan.id.0)
}

/// Returns a page of the scans in one status that has not ended, created before `before`, oldest
/// first: those after the position `after`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_open(
    reader: &impl Reader,
    status: ScanStatus,
    before: Timestamp,
    after: Option<&Keyset>,
    limit: u64,
) -> Result<Vec<Model>> {
    // A literal: with a parameter, PostgreSQL does not see that the partial index `scans_unfinished`
    // covers the query. SQLite sees it only if the query repeats the condition of the index.
    let mut rows = Entity::find()
        .filter(Expr::cust("status IN ('awaiting_upload', 'queued', 'processing')"))
        .filter(Expr::cust(format!("status = '{}'", status.as_str())))
        .filter(Column::CreatedAt.lt(before.as_millis()));
    if let Some(after) = after {
        rows = rows.filter(table::follows((Column::CreatedAt, Column::Id), after));
    }
    let rows = rows.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id).limit(limit);
    Ok(rows.all(reader.conn()).await?)
}

/// Returns those of the scans that have not ended.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_open(reader: &impl Reader, ids: &[ScanId]) -> Result<Vec<Model>> {
    let open = ScanStatus::ALL.into_iter().filter(|status| !status.is_terminal()).map(ScanStatus::as_str);
    let rows = find_all(ids).filter(Column::Status.is_in(open));
    Ok(rows.all(reader.conn()).await?)
}

/// Returns those of the scans that exist.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_each(reader: &impl Reader, ids: &[ScanId]) -> Result<Vec<Model>> {
    Ok(find_all(ids).all(reader.conn()).await?)
}

fn find_all(ids: &[ScanId]) -> Select<Entity> {
    let ids = table::pad_to_power_of_two(ids.iter().map(ScanId::as_str).collect());
    Entity::find().filter(Column::Id.is_in(ids))
}

/// Returns a page of all scans by their ids: those after `after`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_by_id(reader: &impl Reader, after: Option<&ScanId>, limit: u64) -> Result<Vec<Model>> {
    let mut rows = Entity::find();
    if let Some(after) = after {
        rows = rows.filter(Column::Id.gt(after.as_str()));
    }
    Ok(rows.order_by_asc(Column::Id).limit(limit).all(reader.conn()).await?)
}
