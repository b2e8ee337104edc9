//! Functions for activities, the relay and the ledger, which have only the id of a scan. The tenant
//! was checked when the work was requested.

use domain::{ScanId, ScanStatus, Timestamp};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*, sea_query::LockType};

use super::{Column, Entity, Model};
use crate::{Reader, Result, Text, WriteTxn};

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

/// Returns scans in one status that were created before `before`, oldest first, for the reconciler.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_in_status(
    reader: &impl Reader,
    status: ScanStatus,
    before: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    let rows = Entity::find()
        .filter(Column::Status.eq(status.as_str()))
        .filter(Column::CreatedAt.lt(before.as_millis()));
    Ok(rows.order_by_asc(Column::CreatedAt).limit(limit).all(reader.conn()).await?)
}

/// Returns unstarted scans whose start window has ended, the longest overdue first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_overdue(reader: &impl Reader, now: Timestamp, limit: u64) -> Result<Vec<Model>> {
    // The status is a literal, because a partial index serves no parameter.
    let rows = Entity::find()
        .filter(Expr::cust("status = 'awaiting_upload'"))
        .filter(Column::DeadlineAt.lte(now.as_millis()));
    Ok(rows.order_by_asc(Column::DeadlineAt).limit(limit).all(reader.conn()).await?)
}
