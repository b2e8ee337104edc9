//! Creates a scan from the media of a scan that failed because of the service.

use std::time::Duration;

use domain::{FailureCode, KeyId, ScanId, ScanStatus, Timestamp, mode::Tenant};
use sea_orm::{entity::prelude::*, sea_query::LockType};

use super::{
    Column, Entity, Idempotency, Model,
    create::{self, awaiting_upload},
    system,
};
use crate::{
    Reader, Result, WriteTxn, accounts, idempotency_keys, spaces, table::TenantOwned, uploads,
    uploads::NewUpload,
};

/// A retry to create.
#[derive(Debug, Clone)]
pub struct NewRetry {
    /// The owning account.
    pub tenant: Tenant,
    /// The failed scan.
    pub scan_id: ScanId,
    /// The API key that requests it; `None` for the console.
    pub key_id: Option<KeyId>,
    /// The stored media of the failed scan. The new scan refers to these objects until it secures
    /// copies of them.
    pub media: Vec<NewUpload>,
    /// Time within which it can be started.
    pub start_window: Duration,
    /// The `Idempotency-Key` of the request, if any.
    pub idempotency: Option<Idempotency>,
}

/// Outcome of creating a retry.
#[derive(Debug, Clone, PartialEq)]
pub enum RetryOutcome {
    /// Created by this call.
    Created(Model),
    /// Created by an earlier call.
    Existing(Model),
    /// The idempotency key was used for another request.
    KeyReused,
    /// The scan did not fail because of the service.
    NotRetryable {
        /// Its status.
        status: ScanStatus,
        /// Reason for its failure.
        failure: Option<FailureCode>,
    },
    /// The media of the scan are no longer stored.
    MediaDeleted,
    /// The scan or its space does not exist.
    NotFound,
}

/// Creates a scan that awaits its start, with the media of a failed scan. The failed scan is left
/// unchanged.
///
/// A failed scan has one retry, unless the retry failed or was cancelled. A repeated call returns
/// that retry, so it creates no second one, with or without an idempotency key.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn retry(txn: &WriteTxn, new: &NewRetry, now: Timestamp) -> Result<RetryOutcome> {
    accounts::require_open(txn, &new.tenant.account_id).await?;
    if let Some(earlier) = replay(txn, new).await? {
        return Ok(earlier);
    }
    let Some(found) = super::find(txn, &new.tenant, &new.scan_id).await? else {
        return Ok(RetryOutcome::NotFound);
    };
    if spaces::lock(txn, &new.tenant, &found.space_id, LockType::Share).await?.is_none() {
        return Ok(RetryOutcome::NotFound);
    }
    // Orders this call, concurrent calls and the deletion of the media.
    let Some(failed) = system::lock(txn, &new.scan_id).await? else { return Ok(RetryOutcome::NotFound) };
    if !failed.is_retryable() {
        let failure = failed.error.as_ref().map(|error| error.0.code);
        return Ok(RetryOutcome::NotRetryable { status: failed.status.0, failure });
    }
    let existing = find_retry(txn, new).await?;
    if existing.is_none() {
        let is_complete = uploads::is_complete(&failed.input, new.media.iter().map(|upload| upload.slot));
        if failed.media_deleted_at.is_some() || !is_complete {
            return Ok(RetryOutcome::MediaDeleted);
        }
    }
    let scan = existing.clone().unwrap_or_else(|| Model {
        retry_of: Some(failed.id.clone()),
        transcript_of: failed.transcript_of.clone(),
        ..awaiting_upload(
            &new.tenant,
            &found.space_id,
            new.key_id.as_ref(),
            &failed.input,
            new.start_window,
            now,
        )
    });
    if let Some(idempotency) = &new.idempotency
        && !idempotency_keys::insert_new(txn, &new.tenant, idempotency, &scan.id, now).await?
    {
        // Another request with the same key committed after the lookup.
        return Ok(replay(txn, new).await?.unwrap_or(RetryOutcome::KeyReused));
    }
    if existing.is_some() {
        return Ok(RetryOutcome::Existing(scan));
    }
    create::insert(txn, &scan, now).await?;
    for upload in &new.media {
        uploads::replace(txn, &scan.id, upload, now).await?;
    }
    Ok(RetryOutcome::Created(scan))
}

/// Returns the outcome of an earlier request with the same idempotency key.
async fn replay(txn: &WriteTxn, new: &NewRetry) -> Result<Option<RetryOutcome>> {
    let Some(idempotency) = &new.idempotency else { return Ok(None) };
    let Some((record, scan)) = create::recorded(txn, &new.tenant, idempotency).await? else {
        return Ok(None);
    };
    let same = record.request_hash == idempotency.request_hash
        && scan.retry_of.as_ref().is_some_and(|of| of.0 == new.scan_id);
    Ok(Some(if same { RetryOutcome::Existing(scan) } else { RetryOutcome::KeyReused }))
}

/// Returns the retry of a scan that neither failed nor was cancelled.
async fn find_retry(txn: &WriteTxn, new: &NewRetry) -> Result<Option<Model>> {
    let ended = [ScanStatus::Failed, ScanStatus::Cancelled].map(ScanStatus::as_str);
    let retry = Entity::of(&new.tenant)
        .filter(Column::RetryOf.eq(new.scan_id.as_str()))
        .filter(Column::Status.is_not_in(ended));
    Ok(retry.one(txn.conn()).await?)
}
