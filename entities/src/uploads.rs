//! Uploads of a scan, one for each slot.

use std::{collections::HashSet, time::Duration};

use domain::{
    ScanId, ScanStatus, Timestamp, layout,
    media::{ScanInput, UploadSlot},
    mode::Tenant,
};
use sea_orm::{
    Condition, IntoActiveModel, QueryOrder, QuerySelect,
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
    /// The slot of the scan.
    #[sea_orm(primary_key, auto_increment = false)]
    pub slot: Text<UploadSlot>,
    /// Storage key.
    pub object_key: String,
    /// Media type.
    pub content_type: String,
    /// Size in bytes.
    pub bytes: i64,
    /// ETag of the object in storage.
    pub etag: String,
    /// SHA-256 in hex, if known.
    pub sha256: Option<String>,
    /// Time of the last upload.
    pub uploaded_at: Millis,
}

no_relations!();

/// An object that was stored and is to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUpload {
    /// The slot of the scan.
    pub slot: UploadSlot,
    /// Storage key.
    pub object_key: String,
    /// Media type.
    pub content_type: String,
    /// Size in bytes.
    pub bytes: i64,
    /// ETag of the object in storage.
    pub etag: String,
    /// SHA-256 in hex, if known.
    pub sha256: Option<String>,
}

/// What a tenant may store for scans that are not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Maximum number of bytes; `u64::MAX` for any number.
    pub bytes: u64,
    /// Time for which the signed URL of a video stays valid after its scan was cancelled. Zero if
    /// storage gives out no URLs.
    pub url_lifetime: Duration,
}

/// A quota without signed URLs.
impl From<u64> for Quota {
    fn from(bytes: u64) -> Self {
        Self { bytes, url_lifetime: Duration::ZERO }
    }
}

/// Outcome of recording an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutOutcome {
    /// Recorded.
    Stored {
        /// Storage key of the replaced upload, if it differs and belongs to this scan. Nothing refers
        /// to it any more.
        replaced: Option<String>,
    },
    /// The scan accepts no uploads: it was started, was cancelled or has expired.
    Closed {
        /// Its current status; `Cancelled` if it has expired.
        status: ScanStatus,
    },
    /// The scan has no such slot.
    NoSuchSlot,
    /// The upload would exceed the tenant's quota. Nothing changed.
    OverQuota,
    /// The scan does not exist.
    NotFound,
}

/// Records an upload and replaces an earlier one of the same slot, if the scan still awaits
/// uploads. The lock on the scan orders this call and a concurrent start: the start sees the
/// upload, or this call refuses it.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn put(
    txn: &WriteTxn,
    tenant: &Tenant,
    scan_id: &ScanId,
    upload: &NewUpload,
    now: Timestamp,
) -> Result<PutOutcome> {
    put_within(txn, tenant, scan_id, upload, u64::MAX, now).await
}

/// Does the same as [`put`], unless the tenant would then exceed `quota`.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn put_within(
    txn: &WriteTxn,
    tenant: &Tenant,
    scan_id: &ScanId,
    upload: &NewUpload,
    quota: impl Into<Quota>,
    now: Timestamp,
) -> Result<PutOutcome> {
    let quota = quota.into();
    let is_limited = quota.bytes < u64::MAX;
    if is_limited {
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
    if is_limited && !fits_quota(txn, tenant, scan_id, upload.slot, upload.bytes, quota, now).await? {
        return Ok(PutOutcome::OverQuota);
    }
    let earlier = Entity::find_by_id((Text::from(scan_id), Text(upload.slot))).one(txn.conn()).await?;
    replace(txn, scan_id, upload, now).await?;
    // The uploads of a retry refer to the objects of the failed scan, which stay.
    let own = layout::upload_prefix(scan_id);
    let replaced =
        earlier.map(|row| row.object_key).filter(|key| *key != upload.object_key && key.starts_with(&own));
    Ok(PutOutcome::Stored { replaced })
}

/// Returns whether replacing a slot's upload with `bytes` keeps the tenant within `quota`. An
/// upload that is not larger than the one it replaces always does.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn fits_quota(
    reader: &impl Reader,
    tenant: &Tenant,
    scan_id: &ScanId,
    slot: UploadSlot,
    bytes: i64,
    quota: Quota,
    now: Timestamp,
) -> Result<bool> {
    // A video counts with its declared size, when the scan is created.
    if slot == UploadSlot::Video {
        return Ok(true);
    }
    let used = unstarted_bytes(reader, tenant, quota.url_lifetime, now).await?;
    let earlier = list(reader, tenant, scan_id).await?.into_iter().find(|row| row.slot.0 == slot);
    let earlier = earlier.map_or(0, |row| row.bytes);
    Ok(bytes <= earlier || !exceeds(used.saturating_sub(earlier).saturating_add(bytes), quota.bytes))
}

/// Returns whether `bytes` exceed the quota.
pub(crate) fn exceeds(bytes: i64, quota: u64) -> bool {
    u64::try_from(bytes).is_ok_and(|bytes| bytes > quota)
}

pub(crate) async fn replace(
    txn: &WriteTxn,
    scan_id: &ScanId,
    upload: &NewUpload,
    now: Timestamp,
) -> Result<()> {
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

/// Returns the uploads of a scan of this tenant, in the order of its slots.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(reader: &impl Reader, tenant: &Tenant, scan: &ScanId) -> Result<Vec<Model>> {
    match scans::find(reader, tenant, scan).await? {
        Some(_) => system::list(reader, scan).await,
        None => Ok(Vec::new()),
    }
}

/// Returns the bytes of a tenant's uploads for scans that can still be started. Videos count with
/// their declared size, because a signed URL may be used at any time; photos count with their
/// uploaded size. A cancelled scan whose signed URL can still store its video counts, too:
/// otherwise, an account could create and cancel scans to store any number of bytes.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn unstarted_bytes(
    reader: &impl Reader,
    tenant: &Tenant,
    url_lifetime: Duration,
    now: Timestamp,
) -> Result<i64> {
    let still_valid = now.minus(url_lifetime).as_millis();
    let unstarted = scans::Entity::owned_by(tenant)
        .add(scans::Column::Status.eq(ScanStatus::AwaitingUpload.as_str()))
        .add(scans::Column::DeadlineAt.gt(still_valid));
    // Literals, because a partial index serves no parameter.
    let cancelled = scans::Entity::owned_by(tenant)
        .add(Expr::cust("status = 'cancelled' AND declared_bytes > 0"))
        .add(scans::Column::FinishedAt.gt(still_valid));
    let ids = Query::select()
        .column(scans::Column::Id)
        .from(scans::Entity)
        .cond_where(unstarted.clone())
        .to_owned();
    let declared = async |scans: Condition| -> Result<i64> {
        let sum = scans::Entity::find().select_only().expr(sum_of("declared_bytes")).filter(scans);
        Ok(sum.into_tuple().one(reader.conn()).await?.unwrap_or(0))
    };
    let mut videos = declared(unstarted).await?;
    if !url_lifetime.is_zero() {
        videos = videos.saturating_add(declared(cancelled).await?);
    }
    let photos: Option<i64> = Entity::find()
        .select_only()
        .expr(sum_of("bytes"))
        .filter(Column::ScanId.in_subquery(ids))
        .filter(Column::Slot.ne(Text(UploadSlot::Video)))
        .into_tuple()
        .one(reader.conn())
        .await?;
    Ok(videos.saturating_add(photos.unwrap_or(0)))
}

/// Builds the sum of a column. PostgreSQL's SUM of BIGINT is NUMERIC, so the result is cast.
fn sum_of(column: &'static str) -> SimpleExpr {
    Expr::cust(format!("CAST(COALESCE(SUM({column}), 0) AS BIGINT)"))
}

/// Returns the slots of `input` without an upload, in order.
pub fn missing(input: &ScanInput, uploads: &[Model]) -> Vec<UploadSlot> {
    missing_slots(input, uploads.iter().map(|upload| upload.slot.0))
}

/// Returns whether every slot of `input` was uploaded.
pub(crate) fn is_complete(input: &ScanInput, uploaded: impl Iterator<Item = UploadSlot>) -> bool {
    missing_slots(input, uploaded).is_empty()
}

fn missing_slots(input: &ScanInput, uploaded: impl Iterator<Item = UploadSlot>) -> Vec<UploadSlot> {
    let uploaded: HashSet<UploadSlot> = uploaded.collect();
    input.slots().into_iter().filter(|slot| !uploaded.contains(slot)).collect()
}

/// Functions for activities and the ledger, which have only the id of a scan.
pub mod system {
    use super::{
        Column, ColumnTrait, Entity, Model, QueryFilter, QueryOrder, Reader, Result, ScanId, WriteTxn,
    };
    use sea_orm::EntityTrait;

    /// Returns the uploads of a scan, in the order of its slots.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn list(reader: &impl Reader, scan: &ScanId) -> Result<Vec<Model>> {
        let rows = Entity::find().filter(Column::ScanId.eq(scan.as_str()));
        Ok(rows.order_by_asc(Column::Slot).all(reader.conn()).await?)
    }

    /// Deletes the records of all uploads of a scan. The objects stay.
    pub(crate) async fn delete_all(txn: &WriteTxn, scan: &ScanId) -> Result<()> {
        Entity::delete_many().filter(Column::ScanId.eq(scan.as_str())).exec(txn.conn()).await?;
        Ok(())
    }
}
