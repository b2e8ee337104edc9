//! For activities, relays and the ledger, which act on a scan by its id alone: its tenant was checked
//! when the work was asked for.

use domain::{ScanId, ScanStatus, Timestamp, money::Charge, scan::Scan, scan::ScanFailure};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*, sea_query::LockType};

use super::{Column, Entity, Model, Transition, transition};
use crate::{Json, Reader, Result, Text, WriteTxn};

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

/// Queues a locked scan that awaits its upload, with the charge it was started for. Only the ledger calls
/// this, in the transaction that takes the money.
///
/// # Errors
/// Of the database.
pub async fn queue(txn: &WriteTxn, scan: &Model, charge: &Charge, now: Timestamp) -> Result<Transition> {
    let outcome = transition::change(txn, scan, ScanStatus::Queued, None, now).await?;
    if outcome == Transition::Changed {
        Entity::update_many()
            .col_expr(Column::StartedAt, Expr::value(now.as_millis()))
            .col_expr(Column::ChargeKind, Expr::value(charge.kind.as_str()))
            .col_expr(Column::PriceCents, Expr::value(charge.price_cents))
            .filter(Column::Id.eq(scan.id.as_str()))
            .exec(txn.conn())
            .await?;
    }
    Ok(outcome)
}

/// Fails a locked scan that is queued or processing, as refunded, and publishes `scan.failed`. Only the
/// ledger calls this, in the transaction that gives the money back.
///
/// `None` when the scan is in no state to fail.
///
/// # Errors
/// Of the database.
pub async fn fail(
    txn: &WriteTxn,
    scan: &Model,
    failure: &ScanFailure,
    refunded: bool,
    now: Timestamp,
) -> Result<Option<Scan>> {
    if transition::change(txn, scan, ScanStatus::Failed, None, now).await? != Transition::Changed {
        return Ok(None);
    }
    Entity::update_many()
        .col_expr(Column::Error, Expr::value(Json(failure.clone())))
        .col_expr(Column::Refunded, Expr::value(refunded))
        .filter(Column::Id.eq(scan.id.as_str()))
        .exec(txn.conn())
        .await?;
    Ok(Some(super::complete::publish_end(txn, &scan.id, now).await?))
}
