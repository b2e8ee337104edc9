//! Uploads: what was uploaded for a scan, slot by slot.

use domain::{
    ScanId, ScanStatus, Timestamp,
    media::{ScanInput, UploadSlot},
    mode::Tenant,
};
use sea_orm::{
    IntoActiveModel, QueryOrder, QuerySelect,
    entity::prelude::*,
    sea_query::{LockType, OnConflict, Query, SimpleExpr},
};

use crate::{Millis, Reader, Result, Text, WriteTxn, accounts, scans, table::TenantOwned};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutOutcome {
    /// Recorded.
    Stored {
        /// Where the earlier upload of the slot lies, if there was one elsewhere: nobody refers to it any more.
        replaced: Option<String>,
    },
    /// The scan takes no uploads (any more): it was started or cancelled, or its time is over.
    Closed {
        /// What it is instead; `Cancelled` when its time is over.
        status: ScanStatus,
    },
    /// The scan expects no such thing.
    NoSuchSlot,
    /// The tenant would hold more than its quota; the slot holds what it held.
    OverQuota,
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
    put_within(txn, tenant, scan_id, upload, u64::MAX, now).await
}

/// As [`put`], if the tenant then holds at most `quota` bytes for scans that are not started.
///
/// # Errors
/// [`crate::Error::AccountClosed`]; of the database.
pub async fn put_within(
    txn: &WriteTxn,
    tenant: &Tenant,
    scan_id: &ScanId,
    upload: &NewUpload,
    quota: u64,
    now: Timestamp,
) -> Result<PutOutcome> {
    if quota < u64::MAX {
        accounts::lock(txn, &tenant.account_id).await?;
    }
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
    if quota < u64::MAX && !fits(txn, tenant, scan_id, upload.slot, upload.bytes, quota, now).await? {
        return Ok(PutOutcome::OverQuota);
    }
    let earlier = Entity::find_by_id((Text::from(scan_id), Text(upload.slot))).one(txn.conn()).await?;
    replace(txn, scan_id, upload, now).await?;
    let replaced = earlier.map(|row| row.object_key).filter(|key| *key != upload.object_key);
    Ok(PutOutcome::Stored { replaced })
}

/// Whether an upload of so many bytes, in the place of what its slot holds, keeps the tenant within `quota`.
/// One that is not larger than what it replaces always does.
///
/// # Errors
/// Of the database.
pub async fn fits(
    reader: &impl Reader,
    tenant: &Tenant,
    scan_id: &ScanId,
    slot: UploadSlot,
    bytes: i64,
    quota: u64,
    now: Timestamp,
) -> Result<bool> {
    // A video was counted when it was declared.
    if slot == UploadSlot::Video {
        return Ok(true);
    }
    let held = unstarted_bytes(reader, tenant, now).await?;
    let earlier = list(reader, tenant, scan_id).await?.into_iter().find(|row| row.slot.0 == slot);
    let earlier = earlier.map_or(0, |row| row.bytes);
    Ok(bytes <= earlier || !exceeds(held.saturating_sub(earlier).saturating_add(bytes), quota))
}

/// Whether so many bytes are more than the quota.
pub(crate) fn exceeds(bytes: i64, quota: u64) -> bool {
    u64::try_from(bytes).is_ok_and(|bytes| bytes > quota)
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

/// How many bytes a tenant holds for scans that can still be started: videos as they were declared (a signed
/// link may be used at any moment), photos as they came.
///
/// # Errors
/// Of the database.
pub async fn unstarted_bytes(reader: &impl Reader, tenant: &Tenant, now: Timestamp) -> Result<i64> {
    let unstarted = scans::Entity::owned_by(tenant)
        .add(scans::Column::Status.eq(ScanStatus::AwaitingUpload.as_str()))
        .add(scans::Column::DeadlineAt.gt(now.as_millis()));
    let ids = Query::select()
        .column(scans::Column::Id)
        .from(scans::Entity)
        .cond_where(unstarted.clone())
        .to_owned();
    let videos: Option<i64> = scans::Entity::find()
        .select_only()
        .expr(total("declared_bytes"))
        .filter(unstarted)
        .into_tuple()
        .one(reader.conn())
        .await?;
    let photos: Option<i64> = Entity::find()
        .select_only()
        .expr(total("bytes"))
        .filter(Column::ScanId.in_subquery(ids))
        .filter(Column::Slot.ne(Text(UploadSlot::Video)))
        .into_tuple()
        .one(reader.conn())
        .await?;
    Ok(videos.unwrap_or(0).saturating_add(photos.unwrap_or(0)))
}

/// The sum of a column. PostgreSQL sums BIGINT to NUMERIC, hence the cast.
fn total(column: &'static str) -> SimpleExpr {
    Expr::cust(format!("CAST(COALESCE(SUM({column}), 0) AS BIGINT)"))
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
