//! Scans: the row and its finders. A scan is changed by [`create()`], [`retry()`], [`transition()`],
//! [`begin_stage`], [`set_progress`], [`set_waiting`], [`cancel()`], [`complete()`],
//! [`delete_expired_media`] and, for money, the ledger.

mod cancel;
mod charged;
mod complete;
mod create;
mod media;
mod retry;
pub mod system;
mod transition;
mod view;

use domain::{
    AccountId, KeyId, ScanId, ScanSeed, ScanStatus, SpaceId, Stage, Timestamp,
    media::ScanInput,
    mode::Tenant,
    money::{Cents, Charge, ChargeKind},
    page::{Keyset, Page, PageRequest},
    scan::{ScanFailure, WaitCause, Waiting},
};
use sea_orm::{PaginatorTrait, QueryOrder, QuerySelect, entity::prelude::*, sea_query::LockType};

use crate::{Json, Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

pub use cancel::cancel;
pub use charged::{fail, queue};
pub use complete::{CompleteOutcome, Completion, complete};
pub use create::{CreateOutcome, Idempotency, NewScan, before_transcript, create};
pub use media::delete_expired_media;
pub(crate) use media::forget as forget_media;
pub use retry::{NewRetry, RetryOutcome, retry};
pub use transition::{StageOutcome, Transition, begin_stage, set_progress, set_waiting, transition};
pub use view::{find_views, view, views};

/// A scan.
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "scans")]
pub struct Model {
    /// Prefix `scn_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<ScanId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// The scanned space.
    pub space_id: Text<SpaceId>,
    /// The API key that created it; `None` if it was created in the console.
    pub key_id: Option<Text<KeyId>>,
    /// Current status.
    pub status: Text<ScanStatus>,
    /// Current stage, while processing.
    pub stage: Option<Text<Stage>>,
    /// Completed share of the stage, 0 to 1.
    pub progress: f64,
    /// Part of our infrastructure that it waits for, until it makes progress.
    pub wait_cause: Option<Text<WaitCause>>,
    /// Time at which it began to wait.
    pub wait_since: Option<Millis>,
    /// Time of its last progress or change of status or stage, once it was started.
    pub progressed_at: Option<Millis>,
    /// Input declared at creation, without the transcript. Scans that an earlier release created
    /// have it here.
    pub input: Json<ScanInput>,
    /// Declared size of the video in bytes; 0 for photos, whose sizes are known only after upload.
    pub declared_bytes: i64,
    /// Creation time.
    pub created_at: Millis,
    /// Time until which it can be started.
    pub deadline_at: Millis,
    /// Time at which it was started and charged.
    pub started_at: Option<Millis>,
    /// Time at which it completed, failed or was cancelled.
    pub finished_at: Option<Millis>,
    /// Kind of the charge.
    pub charge_kind: Option<Text<ChargeKind>>,
    /// Price in cents; 0 for a free scan.
    pub price_cents: Option<Cents>,
    /// Whether the charge was refunded.
    pub refunded: bool,
    /// Reason for the failure.
    pub error: Option<Json<ScanFailure>>,
    /// Revision of the document it wrote.
    pub document_revision: Option<i64>,
    /// The failed scan whose media it was created from.
    pub retry_of: Option<Text<ScanId>>,
    /// Time at which the deletion of its media was scheduled.
    pub media_deleted_at: Option<Millis>,
    /// The scan under which its transcript is stored: itself, or the scan that it retries.
    pub transcript_of: Option<Text<ScanId>>,
}

no_relations!();
tenant_owned!();

impl Model {
    /// Returns the facts that the workflow of this scan starts with.
    pub fn seed(&self) -> ScanSeed {
        let Tenant { account_id, mode } = self.tenant();
        ScanSeed {
            scan_id: self.id.0.clone(),
            account_id,
            space_id: self.space_id.0.clone(),
            mode,
            kind: self.input.kind,
            created_at: self.created_at.0,
            deadline_at: self.deadline_at.0,
        }
    }

    /// Returns the charge, once the scan was started.
    pub fn charge(&self) -> Option<Charge> {
        let kind = self.charge_kind?.0;
        Some(Charge { kind, price_cents: self.price_cents.unwrap_or(0), refunded: self.refunded })
    }

    /// Returns what the scan waits for.
    pub fn waiting(&self) -> Option<Waiting> {
        Some(Waiting { cause: self.wait_cause?.0, since: self.wait_since?.0 })
    }

    /// Returns whether the client sent a transcript.
    pub fn has_transcript(&self) -> bool {
        self.transcript_of.is_some() || self.input.transcript.is_some()
    }

    /// Returns whether it failed because of the service, so that its owner may retry it.
    pub fn is_retryable(&self) -> bool {
        self.status.0 == ScanStatus::Failed && self.error.as_ref().is_some_and(|e| e.0.code.keeps_media())
    }

    /// Returns since when a queued or processing scan cannot move. While it waits for our
    /// infrastructure, that is since the wait began.
    pub fn idle_since(&self) -> Option<Timestamp> {
        if !self.status.0.is_in_progress() {
            return None;
        }
        let progressed = self.progressed_at.or(self.started_at)?.0;
        Some(self.wait_since.map_or(progressed, |since| progressed.max(since.0)))
    }

    /// Returns whether the scan accepts uploads and can be started now.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.status.0 == ScanStatus::AwaitingUpload && now < self.deadline_at.0
    }
}

/// Returns the scan with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Returns the scan with this id if it belongs to this space.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_in_space(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    id: &ScanId,
) -> Result<Option<Model>> {
    Ok(find(reader, tenant, id).await?.filter(|scan| scan.space_id.0 == *space))
}

/// Returns the scans of a space, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_of_space(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let rows = Entity::of(tenant).filter(Column::SpaceId.eq(space.as_str()));
    table::page(reader, rows, (Column::CreatedAt, Column::Id), request, |row| {
        Keyset::at(row.created_at.0, &row.id.0)
    })
    .await
}

/// Returns the number of queued or processing scans of a tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn count_in_progress(reader: &impl Reader, tenant: &Tenant) -> Result<u32> {
    let names = ScanStatus::ALL.into_iter().filter(|s| s.is_in_progress()).map(ScanStatus::as_str);
    let count = Entity::of(tenant).filter(Column::Status.is_in(names)).count(reader.conn()).await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns the number of a tenant's scans that await their upload.
pub(crate) async fn count_unstarted(reader: &impl Reader, tenant: &Tenant) -> Result<u64> {
    let unstarted = Entity::of(tenant).filter(Column::Status.eq(ScanStatus::AwaitingUpload.as_str()));
    Ok(unstarted.count(reader.conn()).await?)
}

/// Returns whether a scan of a space is queued or processing.
pub(crate) async fn is_space_busy(reader: &impl Reader, tenant: &Tenant, space: &SpaceId) -> Result<bool> {
    let names = ScanStatus::ALL.into_iter().filter(|s| s.is_in_progress()).map(ScanStatus::as_str);
    let busy = Entity::of(tenant)
        .filter(Column::Status.is_in(names))
        .filter(Column::SpaceId.eq(space.as_str()))
        .count(reader.conn());
    Ok(busy.await? > 0)
}

/// Returns up to `limit` scans of a space with an id after `after`, by id, and locks them until the
/// transaction ends.
pub(crate) async fn lock_page_of_space(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    after: Option<&ScanId>,
    limit: u64,
) -> Result<Vec<(ScanId, ScanStatus)>> {
    let mut rows = Entity::of(tenant).filter(Column::SpaceId.eq(space.as_str()));
    if let Some(after) = after {
        rows = rows.filter(Column::Id.gt(after.as_str()));
    }
    let rows = rows.order_by_asc(Column::Id).limit(limit).lock(LockType::NoKeyUpdate);
    let rows: Vec<(Text<ScanId>, Text<ScanStatus>)> =
        rows.select_only().columns([Column::Id, Column::Status]).into_tuple().all(txn.conn()).await?;
    Ok(rows.into_iter().map(|(id, status)| (id.0, status.0)).collect())
}
