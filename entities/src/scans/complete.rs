//! Completes a scan: status, document, event, and the outbox entries of its delivery and of the
//! deletion of working files, in one transaction.

use domain::{ScanId, ScanStatus, Timestamp, event::Event, scan::Scan};
use sea_orm::{entity::prelude::*, sea_query::LockType};

use super::{
    Column, Entity, Model,
    media::{self, Kept},
    system, transition, view,
};
use crate::{DocumentRow, Error, Reader, Result, Text, WriteTxn, documents, events, spaces};

/// A document that a scan wrote to storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The scan.
    pub scan_id: ScanId,
    /// Storage key of the document.
    pub object_key: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Size in bytes.
    pub bytes: i64,
}

/// Outcome of completing a scan.
#[derive(Debug, Clone, PartialEq)]
pub enum CompleteOutcome {
    /// Completed by this call.
    Completed {
        /// The changed scan.
        scan: Box<Scan>,
    },
    /// Completed by an earlier call; nothing changed.
    AlreadyComplete {
        /// The completed scan.
        scan: Box<Scan>,
    },
    /// The scan is not in the pipeline.
    NotProcessing {
        /// Its current status.
        status: ScanStatus,
    },
    /// The scan does not exist.
    NotFound,
}

/// Completes a processing scan. The document becomes the newest revision of its space, and the
/// event `scan.completed` is written with the outbox entry of its delivery.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn complete(txn: &WriteTxn, completion: &Completion, now: Timestamp) -> Result<CompleteOutcome> {
    let Some(scan) = lock_with_space(txn, &completion.scan_id).await? else {
        return Ok(CompleteOutcome::NotFound);
    };
    match scan.status.0 {
        ScanStatus::Complete => {
            Ok(CompleteOutcome::AlreadyComplete { scan: Box::new(view(txn, &scan).await?) })
        }
        ScanStatus::Processing => {
            let revision = documents::last_revision(txn, &scan.space_id).await? + 1;
            transition::change(txn, &scan, ScanStatus::Complete, None, now).await?;
            media::end(txn, &scan.id, Kept::Results, now).await?;
            set_revision(txn, &scan.id, revision).await?;
            documents::insert(txn, &document(&scan, completion, revision, now)).await?;
            let scan = publish_end(txn, &scan.id, now).await?;
            Ok(CompleteOutcome::Completed { scan: Box::new(scan) })
        }
        status => Ok(CompleteOutcome::NotProcessing { status }),
    }
}

/// Writes the event of a scan that has just ended, and returns the scan as the event contains it.
pub(super) async fn publish_end(txn: &WriteTxn, id: &ScanId, now: Timestamp) -> Result<Scan> {
    let row =
        system::find(txn, id).await?.ok_or_else(|| Error::corrupt(format!("scan {id} does not exist")))?;
    let scan = view(txn, &row).await?;
    events::publish(txn, &row.tenant(), Some(id), &Event::of_scan(scan.clone(), now)).await?;
    Ok(scan)
}

/// Locks the scan's space, so that two of its scans cannot take the same revision, and then the
/// scan.
async fn lock_with_space(txn: &WriteTxn, id: &ScanId) -> Result<Option<Model>> {
    let Some(scan) = system::find(txn, id).await? else { return Ok(None) };
    spaces::lock(txn, &scan.tenant(), &scan.space_id, LockType::NoKeyUpdate).await?;
    system::lock(txn, id).await
}

async fn set_revision(txn: &WriteTxn, id: &ScanId, revision: i64) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::DocumentRevision, Expr::value(revision))
        .filter(Column::Id.eq(id.as_str()))
        .exec(txn.conn())
        .await?;
    Ok(())
}

fn document(scan: &Model, completion: &Completion, revision: i64, now: Timestamp) -> DocumentRow {
    DocumentRow {
        scan_id: Text::from(&scan.id.0),
        account_id: scan.account_id.clone(),
        livemode: scan.livemode,
        space_id: scan.space_id.clone(),
        revision,
        object_key: completion.object_key.clone(),
        sha256: completion.sha256.clone(),
        bytes: completion.bytes,
        created_at: now.into(),
    }
}
