//! Activities on the uploads of a scan: verify, secure and discard them, and cancel the scan.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

use std::sync::Arc;

use ::media::ObjectInfo;
use domain::{
    FailureCode, ScanId, ScanStatus, Timestamp, layout,
    media::{self, ScanInput, UploadSlot},
    scan::CancelOutcome,
};
use entities::{
    ScanRow, UploadRow, WriteTxn,
    outbox::{self, Kind},
    scans, uploads,
    uploads::NewUpload,
};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{
    self, CancelScanInput, CancelScanOutput, DiscardInput, SecureInput, SecureOutput, VerifyInput,
    VerifyOutput,
};

use crate::{
    Dependencies, attempt,
    error::{database, give_up, retry, storage},
    failpoint,
    heartbeat::{until_stopped, with_heartbeats},
};

/// Number of bytes at the start of an upload that are read to detect its type.
const HEAD_BYTES: u64 = 64;

/// Implements `workflows::contract::Uploads`.
pub struct UploadActivities {
    pub(crate) deps: Arc<Dependencies>,
}

#[activities]
impl UploadActivities {
    /// Checks that every declared upload is in storage. Also records uploads through a signed
    /// URL, which the API has not seen.
    #[activity(definition = contract::VerifyUploads)]
    pub async fn verify_uploads(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: VerifyInput,
    ) -> Result<VerifyOutput, ActivityError> {
        failpoint::around("verify_uploads", input.scan_id.as_str(), self.verify(&input.scan_id)).await
    }

    /// Moves the scan from `awaiting_upload` to `cancelled`, and schedules the deletion of its
    /// uploads in the same transaction.
    #[activity(definition = contract::CancelScan)]
    pub async fn cancel_scan(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: CancelScanInput,
    ) -> Result<CancelScanOutput, ActivityError> {
        failpoint::around("cancel_scan", input.scan_id.as_str(), async {
            let cancelling =
                self.deps.db.write(async |txn| scans::cancel(&txn, &input.scan_id, input.now).await);
            let status = match cancelling.await.map_err(database)? {
                CancelOutcome::Cancelled => Some(ScanStatus::Cancelled),
                CancelOutcome::NotCancellable { status } => Some(status),
                CancelOutcome::NotFound => None,
            };
            Ok(CancelScanOutput { status })
        })
        .await
    }

    /// Acknowledges the start, and copies the uploads to keys that no signed URL can write. Fails
    /// if an upload has changed since it was verified.
    #[activity(definition = contract::SecureMedia)]
    pub async fn secure_media(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: SecureInput,
    ) -> Result<SecureOutput, ActivityError> {
        let scan = &input.scan_id;
        let work = async { until_stopped(&ctx, self.secure_all(scan)).await? };
        let work = failpoint::around("secure_media", scan.as_str(), work);
        attempt::run(&self.deps, &ctx, scan, None, work).await
    }

    /// Deletes the objects that an ended scan no longer needs, without waiting for the outbox, which
    /// deletes them after all upload URLs have expired. A complete scan keeps its results and, for
    /// their retention, its media. A scan that failed because of the service keeps everything for
    /// its retention. Any other scan keeps nothing.
    #[activity(definition = contract::DiscardMedia)]
    pub async fn discard_media(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: DiscardInput,
    ) -> Result<(), ActivityError> {
        let work = async { with_heartbeats(&ctx, self.discard(&input.scan_id)).await? };
        failpoint::around("discard_media", input.scan_id.as_str(), work).await
    }
}

impl UploadActivities {
    async fn verify(&self, id: &ScanId) -> Result<VerifyOutput, ActivityError> {
        let Some(scan) = scans::system::find(&self.deps.db, id).await.map_err(database)? else {
            return Ok(VerifyOutput { missing: 0 });
        };
        if scan.status.0 == ScanStatus::AwaitingUpload && self.deps.store.has_public_address() {
            self.record_direct_upload(&scan).await?;
        }
        let uploaded = uploads::system::list(&self.deps.db, id).await.map_err(database)?;
        let missing = uploads::missing(&scan.input, &uploaded).len();
        Ok(VerifyOutput { missing: u32::try_from(missing).unwrap_or(u32::MAX) })
    }

    async fn discard(&self, id: &ScanId) -> Result<(), ActivityError> {
        let deps = &self.deps;
        let Some(scan) = scans::system::find(&deps.db, id).await.map_err(database)? else {
            return Ok(());
        };
        let scan_id = &scan.id.0;
        if scan.is_retryable() {
            return Ok(());
        }
        if scan.status.0 != ScanStatus::Complete {
            deps.store.delete_prefix(&layout::scan_prefix(scan_id)).await.map_err(storage)?;
            return Ok(());
        }
        for prefix in [layout::upload_prefix(scan_id), layout::work_prefix(scan_id)] {
            deps.store.delete_prefix(&prefix).await.map_err(storage)?;
        }
        deps.store.delete(&layout::audio(scan_id)).await.map_err(storage)?;
        // Unlike uploads, these are written by no URL, so they need not be deleted again.
        let (done, now) = ([layout::work_prefix(scan_id), layout::audio(scan_id)], Timestamp::now());
        let complete = async |txn: WriteTxn| {
            for prefix in &done {
                outbox::complete_in(&txn, Kind::PurgeAgain, prefix, now).await?;
            }
            Ok::<_, entities::Error>(())
        };
        deps.db.write(complete).await.map_err(database)
    }

    /// Records a video that was uploaded directly to storage, if it has the declared size and type.
    async fn record_direct_upload(&self, scan: &ScanRow) -> Result<(), ActivityError> {
        let Some(declared) = scan.input.video.as_ref() else { return Ok(()) };
        let key = layout::upload(&scan.id, UploadSlot::Video);
        let Some(found) = self.deps.store.head(&key).await.map_err(storage)? else { return Ok(()) };
        let head = self.deps.store.get_head_bytes(&key, HEAD_BYTES).await.map_err(storage)?;
        let matches_declaration =
            found.bytes == declared.content_length && has_declared_type(&scan.input, &head);
        if !matches_declaration {
            tracing::info!(scan = %scan.id.0, bytes = found.bytes, "an upload differs from its declaration");
            return Ok(());
        }
        let upload = NewUpload {
            slot: UploadSlot::Video,
            object_key: key,
            content_type: declared.content_type.clone(),
            bytes: i64::try_from(found.bytes).unwrap_or(i64::MAX),
            etag: found.etag,
            sha256: None,
        };
        let (tenant, now) = (scan.tenant(), Timestamp::now());
        self.deps
            .db
            .write(async |txn| uploads::put(&txn, &tenant, &scan.id, &upload, now).await)
            .await
            .map_err(database)?;
        Ok(())
    }

    async fn secure_all(&self, scan: &ScanId) -> Result<SecureOutput, ActivityError> {
        let db = &self.deps.db;
        // Only a history that contains the start schedules this activity, so the relay need not
        // send the start again.
        outbox::complete(db, Kind::ScanStart, scan.as_str(), Timestamp::now()).await.map_err(database)?;
        let uploaded = uploads::system::list(db, scan).await.map_err(database)?;
        let mut bytes = 0;
        for upload in &uploaded {
            self.secure(upload).await?;
            bytes += u64::try_from(upload.bytes).unwrap_or(0);
        }
        Ok(SecureOutput { objects: u32::try_from(uploaded.len()).unwrap_or(u32::MAX), bytes })
    }

    /// Copies one upload, unless there is a copy with its size and ETag. An upload that was replaced after the
    /// verification fails the scan: it is not the upload that was charged.
    async fn secure(&self, upload: &UploadRow) -> Result<(), ActivityError> {
        let store = &self.deps.store;
        let to = layout::source(&upload.scan_id, upload.slot.0);
        let existing = store.head(&to).await.map_err(storage)?;
        if existing.is_some_and(|copy| has_size(&copy, upload.bytes) && copy.etag == upload.etag) {
            return Ok(());
        }
        // Storage may give the copy another ETag, for example in an encrypted bucket. The source's ETag
        // is the condition of the copy, so the size remains to be checked.
        match store.copy_if_match(&upload.object_key, &to, &upload.etag).await {
            Ok(copy) if has_size(&copy, upload.bytes) => Ok(()),
            Ok(copy) => {
                let sizes = format!("the copy has {} of {} bytes", copy.bytes, upload.bytes);
                Err(retry("COPY", sizes))
            }
            Err(e @ ::media::objects::Error::PreconditionFailed { .. }) => {
                Err(give_up(FailureCode::MediaMissing, e))
            }
            Err(e) => Err(storage(e)),
        }
    }
}

fn has_size(object: &ObjectInfo, bytes: i64) -> bool {
    i64::try_from(object.bytes) == Ok(bytes)
}

fn has_declared_type(input: &ScanInput, head: &[u8]) -> bool {
    let declared = input.video.as_ref().map_or("", |v| v.content_type.as_str());
    media::sniff(head).is_some_and(|sniffed| media::agrees(declared, sniffed))
}
