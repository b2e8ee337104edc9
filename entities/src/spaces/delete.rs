//! Deletes a space.

use domain::{ScanId, ScanStatus, SpaceId, Timestamp, layout, mode::Tenant, space::SOURCE_API};
use sea_orm::{entity::prelude::*, sea_query::LockType};

use super::{Column, Entity, lock};
use crate::{Reader, Result, WriteTxn, corrections, outbox, scans, search, shares};

/// Number of scans that are read at a time.
const BATCH: u64 = 200;

/// Outcome of deleting a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// Deleted by this call. Its scans that awaited uploads are cancelled, and its media will be
    /// deleted.
    Deleted,
    /// The space does not exist or was deleted before.
    NotFound,
    /// It was not created through the API.
    NotDeletable,
    /// One of its scans is queued or processing.
    Busy,
}

/// Deletes a space, unless one of its scans is queued or processing. Its objects are deleted
/// through the outbox, and it is removed from the search index, with its corrections and share links. The records of scans, charges and
/// events stay.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn delete(txn: &WriteTxn, tenant: &Tenant, id: &SpaceId, now: Timestamp) -> Result<DeleteOutcome> {
    let Some(space) = lock(txn, tenant, id, LockType::NoKeyUpdate).await? else {
        return Ok(DeleteOutcome::NotFound);
    };
    if space.source != SOURCE_API {
        return Ok(DeleteOutcome::NotDeletable);
    }
    // The lock on the space keeps scans from starting until the transaction ends.
    if scans::is_space_busy(txn, tenant, id).await? {
        return Ok(DeleteOutcome::Busy);
    }
    delete_scans(txn, tenant, id, now).await?;
    Entity::update_many()
        .col_expr(Column::DeletedAt, Expr::value(now.as_millis()))
        .col_expr(Column::UpdatedAt, Expr::value(now.as_millis()))
        .filter(Column::Id.eq(id.as_str()))
        .exec(txn.conn())
        .await?;
    corrections::delete_of_space(txn, id).await?;
    shares::delete_of_space(txn, id).await?;
    search::remove(txn, tenant, id).await?;
    Ok(DeleteOutcome::Deleted)
}

/// Cancels the scans of a space that await uploads, and enqueues the deletion of all their objects.
/// Reads them in batches, so that the memory does not grow with the space.
async fn delete_scans(txn: &WriteTxn, tenant: &Tenant, id: &SpaceId, now: Timestamp) -> Result<()> {
    let mut last: Option<ScanId> = None;
    loop {
        let scans = scans::lock_page_of_space(txn, tenant, id, last.as_ref(), BATCH).await?;
        for (scan, status) in &scans {
            if *status == ScanStatus::AwaitingUpload {
                scans::cancel(txn, scan, now).await?;
            }
            outbox::enqueue_purge(txn, &layout::scan_prefix(scan), now).await?;
            scans::forget_media(txn, scan, now).await?;
        }
        match scans.into_iter().next_back() {
            Some((scan, _)) => last = Some(scan),
            None => return Ok(()),
        }
    }
}
