//! Changes of a scan that accompany a charge or a refund. Only the ledger calls them, in the
//! transaction that moves the money.

use domain::{ScanStatus, Timestamp, money::Charge, scan::Scan, scan::ScanFailure};
use sea_orm::entity::prelude::*;

use super::{
    Column, Entity, Model, Transition, complete,
    media::{self, Kept},
    transition,
};
use crate::{Json, Reader, Result, WriteTxn};

/// Queues a locked scan that awaits its upload, and records its charge. Only the ledger calls this,
/// in the transaction of the charge.
///
/// # Errors
/// Returns an error if the database fails.
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

/// Fails a locked scan that is queued or processing, and publishes `scan.failed`. A scan that failed
/// because of the service keeps its media for a retry. Only the ledger calls this, in the
/// transaction of the refund.
///
/// Returns `None` if the scan is neither queued nor processing.
///
/// # Errors
/// Returns an error if the database fails.
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
    let kept = if failure.code.keeps_media() { Kept::Everything } else { Kept::Nothing };
    media::end(txn, &scan.id, kept, now).await?;
    Entity::update_many()
        .col_expr(Column::Error, Expr::value(Json(failure.clone())))
        .col_expr(Column::Refunded, Expr::value(refunded))
        .filter(Column::Id.eq(scan.id.as_str()))
        .exec(txn.conn())
        .await?;
    Ok(Some(complete::publish_end(txn, &scan.id, now).await?))
}
