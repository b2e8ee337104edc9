//! The media of ended scans: what a scan keeps, and the end of its retention.

use domain::{ScanId, ScanStatus, Timestamp, layout};
use sea_orm::{
    PaginatorTrait, QueryOrder, QuerySelect,
    entity::prelude::*,
    sea_query::{LockBehavior, LockType},
};

use super::{Column, Entity, Model};
use crate::{
    Reader, Result, Text, WriteTxn,
    outbox::{self, Kind, SWEEP_AFTER},
    uploads,
};

/// Condition that no retry of a scan may still need the scan's media. A retry has its own media once
/// it is complete.
const NO_RETRY: &str = "NOT EXISTS (SELECT 1 FROM scans AS retry WHERE retry.retry_of = scans.id \
                        AND retry.media_deleted_at IS NULL AND retry.status <> 'complete')";

/// Objects that an ended scan keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// All objects until [`delete_expired_media`] deletes them, for a retry.
    Everything,
    /// Document and frames for ever, and the media until [`delete_expired_media`] deletes them.
    Results,
    /// Nothing.
    Nothing,
}

/// Enqueues the deletion of the objects that a scan does not keep, in the transaction that ends it.
/// They are deleted after all upload URLs have expired.
pub(super) async fn end(txn: &WriteTxn, scan: &ScanId, kept: Kept, now: Timestamp) -> Result<()> {
    match kept {
        Kept::Everything => {}
        Kept::Results => {
            for obsolete in [layout::upload_prefix(scan), layout::work_prefix(scan), layout::audio(scan)] {
                outbox::enqueue_sweep(txn, &obsolete, now).await?;
            }
        }
        Kept::Nothing => {
            outbox::enqueue_sweep(txn, &layout::scan_prefix(scan), now).await?;
            forget(txn, scan, now).await?;
        }
    }
    Ok(())
}

/// Deletes the records of a scan's uploads, and records that the deletion of its media is scheduled.
pub(crate) async fn forget(txn: &WriteTxn, scan: &ScanId, now: Timestamp) -> Result<()> {
    uploads::system::delete_all(txn, scan).await?;
    Entity::update_many()
        .col_expr(Column::MediaDeletedAt, Expr::value(now.as_millis()))
        .filter(Column::Id.eq(scan.as_str()))
        .filter(Column::MediaDeletedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(())
}

/// Enqueues the deletion of the media of up to `limit` scans that reached this final status before
/// `before`, oldest first, and deletes the records of their uploads. Skips scans whose media a retry
/// may still need. Returns the number of scans.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn delete_expired_media(
    txn: &WriteTxn,
    status: ScanStatus,
    before: Timestamp,
    limit: u64,
    now: Timestamp,
) -> Result<u64> {
    let expired = expired(status, before)
        .limit(limit)
        .lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked)
        .all(txn.conn())
        .await?;
    let mut deleted = 0;
    for scan in &expired {
        // Read again under the lock: a retry may have been created since the first query began.
        if has_open_retry(txn, scan).await? {
            continue;
        }
        let id = &scan.id.0;
        // A complete scan keeps its results.
        let prefix = match status {
            ScanStatus::Complete => layout::source_prefix(id),
            _ => layout::scan_prefix(id),
        };
        // An upload that began before the end of the scan may still be written.
        let due = scan.finished_at.map_or(now, |ended| ended.0.plus(SWEEP_AFTER)).max(now);
        let payload = serde_json::json!({ "prefix": prefix });
        outbox::enqueue(txn, Kind::Purge, &prefix, &payload, now, due).await?;
        forget(txn, id, now).await?;
        deleted += 1;
    }
    Ok(deleted)
}

/// Selects scans whose media have expired, oldest first. The status is a literal, because a partial
/// index serves no parameter.
fn expired(status: ScanStatus, before: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Expr::cust(format!("status = '{}'", status.as_str())))
        .filter(Column::MediaDeletedAt.is_null())
        .filter(Column::FinishedAt.lt(before.as_millis()))
        .filter(Expr::cust(NO_RETRY))
        .order_by_asc(Column::FinishedAt)
}

async fn has_open_retry(txn: &WriteTxn, scan: &Model) -> Result<bool> {
    let without_retry =
        Entity::find_by_id(Text::from(&scan.id.0)).filter(Expr::cust(NO_RETRY)).count(txn.conn()).await?;
    Ok(without_retry == 0)
}
