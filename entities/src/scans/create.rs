//! Creates a scan: its row, its first transition, the record of its idempotency key and the outbox
//! entry of its workflow, in one transaction.

use std::time::Duration;

use domain::{KeyId, ScanId, ScanStatus, SpaceId, Timestamp, layout, media::ScanInput, mode::Tenant};
use sea_orm::sea_query::LockType;

use super::Model;
use crate::{
    Error, Json, Result, Text, WriteTxn, accounts, idempotency_keys,
    outbox::{self, Kind},
    scan_transitions, spaces, table,
    uploads::{self, Quota},
};

/// Time after which a transcript without a scan is deleted. A request is far shorter.
const TRANSCRIPT_GRACE: Duration = Duration::from_secs(60 * 60);

/// An `Idempotency-Key` with the hash of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// Value of the header.
    pub key: String,
    /// Hash of the request body in canonical form.
    pub request_hash: String,
}

/// A scan to create.
#[derive(Debug, Clone)]
pub struct NewScan {
    /// The owning account.
    pub tenant: Tenant,
    /// The scanned space.
    pub space_id: SpaceId,
    /// The API key that creates it; `None` for the console.
    pub key_id: Option<KeyId>,
    /// The declared input, without the transcript.
    pub input: ScanInput,
    /// The id for the new scan if a transcript was stored under it, with a call of
    /// [`before_transcript`] before.
    pub transcript: Option<ScanId>,
    /// Time within which it can be started: [`domain::scan::START_WINDOW`], except in tests.
    pub start_window: Duration,
    /// What the tenant may store for scans that are not started.
    pub upload_quota: Quota,
    /// Maximum number of the tenant's scans that are not started.
    pub max_unstarted: u64,
    /// The `Idempotency-Key` of the request, if any.
    pub idempotency: Option<Idempotency>,
}

/// Outcome of creating a scan.
#[derive(Debug, Clone, PartialEq)]
pub enum CreateOutcome {
    /// Created by this call.
    Created(Model),
    /// Created by an earlier request with the same idempotency key and body.
    Replayed(Model),
    /// The idempotency key was used with another body or for another space.
    KeyReused,
    /// The space does not exist.
    SpaceNotFound,
    /// The declared size would exceed the tenant's quota.
    OverQuota,
    /// The tenant has as many scans that are not started as it may have.
    TooManyUnstarted,
}

/// Creates a scan that awaits its upload, once for each idempotency key.
///
/// # Errors
/// Returns [`Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn create(txn: &WriteTxn, new: &NewScan, now: Timestamp) -> Result<CreateOutcome> {
    let declared_bytes = declared_bytes(&new.input);
    accounts::lock(txn, &new.tenant.account_id).await?;
    if let Some(earlier) = replay(txn, new).await? {
        return Ok(earlier);
    }
    if spaces::lock(txn, &new.tenant, &new.space_id, LockType::Share).await?.is_none() {
        return Ok(CreateOutcome::SpaceNotFound);
    }
    if super::count_unstarted(txn, &new.tenant).await? >= new.max_unstarted {
        return Ok(CreateOutcome::TooManyUnstarted);
    }
    if declared_bytes > 0 {
        let used = uploads::unstarted_bytes(txn, &new.tenant, new.upload_quota.url_lifetime, now).await?;
        if uploads::exceeds(used.saturating_add(declared_bytes), new.upload_quota.bytes) {
            return Ok(CreateOutcome::OverQuota);
        }
    }
    let mut scan =
        awaiting_upload(&new.tenant, &new.space_id, new.key_id.as_ref(), &new.input, new.start_window, now);
    if let Some(id) = &new.transcript {
        scan.id = Text::from(id);
        scan.transcript_of = Some(Text::from(id));
    }
    if let Some(idempotency) = &new.idempotency
        && !idempotency_keys::insert_new(txn, &new.tenant, idempotency, &scan.id, now).await?
    {
        // Another request with the same key committed after the lookup.
        return replay(txn, new)
            .await?
            .ok_or_else(|| Error::corrupt("the record of a taken idempotency key is missing"));
    }
    insert(txn, &scan, now).await?;
    if new.transcript.is_some() {
        outbox::withdraw(txn, Kind::Purge, &layout::transcript(&scan.id)).await?;
    }
    Ok(CreateOutcome::Created(scan))
}

/// Enqueues the deletion of a transcript that is about to be stored. [`create`] withdraws it together
/// with the creation of the scan, so that a crash in between leaves no object without a scan.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn before_transcript(txn: &WriteTxn, scan: &ScanId, now: Timestamp) -> Result<()> {
    let key = layout::transcript(scan);
    let payload = serde_json::json!({ "prefix": key });
    outbox::enqueue(txn, Kind::Purge, &key, &payload, now, now.plus(TRANSCRIPT_GRACE)).await?;
    Ok(())
}

/// Builds the row of a scan that awaits its upload.
pub(super) fn awaiting_upload(
    tenant: &Tenant,
    space: &SpaceId,
    key: Option<&KeyId>,
    input: &ScanInput,
    start_window: Duration,
    now: Timestamp,
) -> Model {
    Model {
        id: ScanId::new().into(),
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        space_id: Text::from(space),
        key_id: key.map(Text::from),
        status: ScanStatus::AwaitingUpload.into(),
        stage: None,
        progress: 0.0,
        wait_cause: None,
        wait_since: None,
        progressed_at: None,
        input: Json(input.clone()),
        declared_bytes: declared_bytes(input),
        created_at: now.into(),
        deadline_at: now.plus(start_window).into(),
        started_at: None,
        finished_at: None,
        charge_kind: None,
        price_cents: None,
        refunded: false,
        error: None,
        document_revision: None,
        retry_of: None,
        media_deleted_at: None,
        transcript_of: None,
    }
}

/// Returns the declared size of the video; 0 for photos.
fn declared_bytes(input: &ScanInput) -> i64 {
    let declared = input.video.as_ref().map_or(0, |video| video.content_length);
    i64::try_from(declared).unwrap_or(i64::MAX)
}

/// Inserts a new scan with its first transition and the outbox entry of its workflow.
pub(super) async fn insert(txn: &WriteTxn, scan: &Model, now: Timestamp) -> Result<()> {
    table::insert(txn, scan.clone()).await?;
    scan_transitions::append(txn, &scan.id, None, ScanStatus::AwaitingUpload, None, now).await?;
    outbox::enqueue_after_grace(txn, Kind::ScanWorkflow, scan.id.as_str(), now).await?;
    Ok(())
}

/// Returns the outcome of an earlier request with the same idempotency key.
async fn replay(txn: &WriteTxn, new: &NewScan) -> Result<Option<CreateOutcome>> {
    let Some(idempotency) = &new.idempotency else { return Ok(None) };
    let Some((record, scan)) = recorded(txn, &new.tenant, idempotency).await? else { return Ok(None) };
    let same = record.request_hash == idempotency.request_hash && scan.space_id.0 == new.space_id;
    Ok(Some(if same { CreateOutcome::Replayed(scan) } else { CreateOutcome::KeyReused }))
}

/// Returns the record of an idempotency key, and the scan that it created.
pub(super) async fn recorded(
    txn: &WriteTxn,
    tenant: &Tenant,
    idempotency: &Idempotency,
) -> Result<Option<(idempotency_keys::Model, Model)>> {
    let Some(record) = idempotency_keys::find(txn, tenant, &idempotency.key).await? else {
        return Ok(None);
    };
    let scan = super::find(txn, tenant, &record.scan_id).await?.ok_or_else(|| {
        Error::corrupt(format!("an idempotency key refers to {}, which does not exist", record.scan_id.0))
    })?;
    Ok(Some((record, scan)))
}
