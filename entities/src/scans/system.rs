//! For activities, relays and the ledger, which act on a scan by its id alone: its tenant was checked
//! when the work was asked for.

use domain::{ScanId, ScanStatus, Timestamp};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*, sea_query::LockType};

use super::{Column, Entity, Model};
use crate::{Reader, Result, Text, WriteTxn};

/// The scan with this id, of whatever tenant.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, id: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
}

/// The scan with this id, locked until the transaction ends.
///
/// # Errors
/// Of the database.
pub async fn lock(txn: &WriteTxn, id: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).lock(LockType::NoKeyUpdate).one(txn.conn()).await?)
}

/// Scans in one status that were created before `before`, oldest first: what a reconciler looks through.
///
/// # Errors
/// Of the database.
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

/// Unstarted scans whose time to be started is over, oldest first.
///
/// # Errors
/// Of the database.
pub async fn list_overdue(reader: &impl Reader, now: Timestamp, limit: u64) -> Result<Vec<Model>> {
    let rows = Entity::find()
        .filter(Column::Status.eq(ScanStatus::AwaitingUpload.as_str()))
        .filter(Column::DeadlineAt.lte(now.as_millis()));
    Ok(rows.order_by_asc(Column::CreatedAt).limit(limit).all(reader.conn()).await?)
}
