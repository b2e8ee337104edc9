//! Uploads: what was uploaded for a scan, slot by slot.

use domain::{
    ScanId, ScanStatus, Timestamp,
    media::{ScanInput, UploadSlot},
    mode::Tenant,
};
use sea_orm::{
    IntoActiveModel, QueryOrder, QuerySelect,
    entity::prelude::*,
    sea_query::{LockType, OnConflict, Query},
};

use crate::{Millis, Reader, Result, Text, WriteTxn, scans, table::TenantOwned};

/// One uploaded object.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "uploads")]
pub struct Model {
    /// The scan it is for.
    #[sea_orm(primary_key, auto_increment = false)]
    pub scan_id: Text<ScanId>,
    /// Which of the things the scan expects.
    #[sea_orm(primary_key, auto_increment = false)]
    pub slot: Text<UploadSlot>,
    /// Where it is stored.
    pub object_key: String,
    /// Its media type.
    pub content_type: String,
    /// Its size.
    pub bytes: i64,
    /// What storage calls this version of it.
    pub etag: String,
    /// SHA-256, hex, where it is known.
    pub sha256: Option<String>,
    /// When it was (last) uploaded.
    pub uploaded_at: Millis,
}

no_relations!();

/// An object that was just stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUpload {
    /// Which of the things the scan expects.
    pub slot: UploadSlot,
    /// Where it is stored.
    pub object_key: String,
    /// Its media type.
    pub content_type: String,
    /// Its size.
    pub bytes: i64,
    /// What storage calls this version of it.
    pub etag: String,
    /// SHA-256, hex, where it is known.
    pub sha256: Option<String>,
}

/// What came of recording an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// Recorded, in the place of an earlier one if there was one.
    Stored,
    /// The scan takes no uploads (any more): it was started or cancelled, or its time is over.
    Closed {
        /// What it is instead; `Cancelled` when its time is over.
        status: ScanStatus,
    },
    /// The scan expects no such thing.
    NoSuchSlot,
    /// No such scan.
    NotFound,
}

/// Records an upload, in the place of an earlier one of the same slot, if the scan still awaits uploads.
/// The scan is locked meanwhile, so a start either sees the upload or refuses it.
///
/// # Errors
/// Of the database.
pub async fn put(
    txn: &WriteTxn,
    tenant: &Tenant,
    scan_id: &ScanId,
    upload: &NewUpload,
    now: Timestamp,
) -> Result<PutOutcome> {
    let scan = scans::Entity::of(tenant)
        .filter(scans::Column::Id.eq(scan_id.as_str()))
        .lock(LockType::Share)
        .one(txn.conn())
        .await?;
    let Some(scan) = scan else { return Ok(PutOutcome::NotFound) };
    if !scan.is_open(now) {
        let overdue = scan.status.0 == ScanStatus::AwaitingUpload;
        let status = if overdue { ScanStatus::Cancelled } else { scan.status.0 };
        return Ok(PutOutcome::Closed { status });
    }
    if !scan.input.slots().contains(&upload.slot) {
        return Ok(PutOutcome::NoSuchSlot);
    }
    replace(txn, scan_id, upload, now).await?;
    Ok(PutOutcome::Stored)
}

async fn replace(txn: &WriteTxn, scan_id: &ScanId, upload: &NewUpload, now: Timestamp) -> Result<()> {
    let row = Model {
        scan_id: Text::from(scan_id),
        slot: Text(upload.slot),
        object_key: upload.object_key.clone(),
        content_type: upload.content_type.clone(),
        bytes: upload.bytes,
        etag: upload.etag.clone(),
        sha256: upload.sha256.clone(),
        uploaded_at: now.into(),
    };
    let newest = OnConflict::columns([Column::ScanId, Column::Slot])
        .update_columns([
            Column::ObjectKey,
            Column::ContentType,
            Column::Bytes,
            Column::Etag,
            Column::Sha256,
            Column::UploadedAt,
        ])
        .to_owned();
    Entity::insert(row.into_active_model()).on_conflict(newest).exec_without_returning(txn.conn()).await?;
    Ok(())
}

/// What was uploaded for a scan of this tenant, in the order of its slots.
///
/// # Errors
/// Of the database.
pub async fn list(reader: &impl Reader, tenant: &Tenant, scan: &ScanId) -> Result<Vec<Model>> {
    match scans::find(reader, tenant, scan).await? {
        Some(_) => system::list(reader, scan).await,
        None => Ok(Vec::new()),
    }
}

/// How many bytes a tenant has uploaded for scans that are not started.
///
/// # Errors
/// Of the database.
pub async fn unstarted_bytes(reader: &impl Reader, tenant: &Tenant) -> Result<i64> {
    let unstarted = Query::select()
        .column(scans::Column::Id)
        .from(scans::Entity)
        .cond_where(scans::Entity::owned_by(tenant))
        .and_where(scans::Column::Status.eq(ScanStatus::AwaitingUpload.as_str()))
        .to_owned();
    // PostgreSQL sums BIGINT to NUMERIC, hence the cast.
    let sum: Option<i64> = Entity::find()
        .select_only()
        .expr(Expr::cust("CAST(COALESCE(SUM(bytes), 0) AS BIGINT)"))
        .filter(Column::ScanId.in_subquery(unstarted))
        .into_tuple()
        .one(reader.conn())
        .await?;
    Ok(sum.unwrap_or(0))
}

/// Which of the things that `input` promises are not among `uploads`, in order.
pub fn missing(input: &ScanInput, uploads: &[Model]) -> Vec<UploadSlot> {
    let there: std::collections::HashSet<UploadSlot> = uploads.iter().map(|upload| upload.slot.0).collect();
    input.slots().into_iter().filter(|slot| !there.contains(slot)).collect()
}

/// For activities and the ledger, which act on a scan by its id alone.
pub mod system {
    use super::{Column, ColumnTrait, Entity, Model, QueryFilter, QueryOrder, Reader, Result, ScanId};
    use sea_orm::EntityTrait;

    /// What was uploaded for a scan, in the order of its slots.
    ///
    /// # Errors
    /// Of the database.
    pub async fn list(reader: &impl Reader, scan: &ScanId) -> Result<Vec<Model>> {
        let rows = Entity::find().filter(Column::ScanId.eq(scan.as_str()));
        Ok(rows.order_by_asc(Column::Slot).all(reader.conn()).await?)
    }
}
