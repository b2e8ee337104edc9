//! The life of a scan's media outside the pipeline: verified, secured, discarded.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::sync::Arc;

use domain::{
    FailureCode, ScanStatus, Timestamp, layout,
    media::{self, ScanInput, UploadSlot},
    scan::CancelOutcome,
};
use entities::{
    ScanRow, UploadRow,
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
    Parts,
    error::{database, give_up, storage},
    failpoint::failpoint,
};

/// Bytes of an upload that tell its type.
const HEAD_BYTES: u64 = 64;

/// Implements `workflows::contract::Uploads`.
pub struct UploadActivities {
    pub(crate) parts: Arc<Parts>,
}

#[activities]
impl UploadActivities {
    /// Looks in storage for every declared upload, and notes those that came by a signed link: the API
    /// never saw them.
    #[activity(definition = contract::VerifyUploads)]
    pub async fn verify_uploads(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: VerifyInput,
    ) -> Result<VerifyOutput, ActivityError> {
        let Some(scan) = scans::system::find(&self.parts.db, &input.scan_id).await.map_err(database)? else {
            return Ok(VerifyOutput { missing: 0 });
        };
        if scan.status.0 == ScanStatus::AwaitingUpload && self.parts.store.has_public_address() {
            self.note_direct_upload(&scan).await?;
        }
        let uploaded = uploads::system::list(&self.parts.db, &input.scan_id).await.map_err(database)?;
        let missing = uploads::missing(&scan.input, &uploaded).len();
        failpoint("verify_uploads").await?;
        Ok(VerifyOutput { missing: u32::try_from(missing).unwrap_or(u32::MAX) })
    }

    /// `awaiting_upload` → `cancelled`. The purge of the uploads is put down in the same transaction.
    #[activity(definition = contract::CancelScan)]
    pub async fn cancel_scan(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: CancelScanInput,
    ) -> Result<CancelScanOutput, ActivityError> {
        let outcome = self
            .parts
            .db
            .write(async |txn| scans::cancel(&txn, &input.scan_id, input.now).await)
            .await
            .map_err(database)?;
        failpoint("cancel_scan").await?;
        Ok(CancelScanOutput {
            status: match outcome {
                CancelOutcome::Cancelled => Some(ScanStatus::Cancelled),
                CancelOutcome::NotCancellable { status } => Some(status),
                CancelOutcome::NotFound => None,
            },
        })
    }

    /// Acknowledges the start and copies the uploads to keys that no signed link can write, on condition
    /// that they are the ones that were verified.
    #[activity(definition = contract::SecureMedia)]
    pub async fn secure_media(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: SecureInput,
    ) -> Result<SecureOutput, ActivityError> {
        let parts = &self.parts;
        // This activity was scheduled, so the workflow's history has the start: nobody need tell it again.
        outbox::done(&parts.db, Kind::ScanStart, input.scan_id.as_str(), Timestamp::now())
            .await
            .map_err(database)?;
        let uploaded = uploads::system::list(&parts.db, &input.scan_id).await.map_err(database)?;
        let mut bytes = 0;
        for (done, upload) in uploaded.iter().enumerate() {
            self.secure(upload).await?;
            bytes += u64::try_from(upload.bytes).unwrap_or(0);
            ctx.record_heartbeat(done).await?;
        }
        failpoint("secure_media").await?;
        Ok(SecureOutput { objects: u32::try_from(uploaded.len()).unwrap_or(u32::MAX), bytes })
    }

    /// Deletes what an ended scan no longer needs. Of a complete one the document and its frames stay,
    /// and its media until their time is over; of any other nothing does.
    #[activity(definition = contract::DiscardMedia)]
    pub async fn discard_media(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: DiscardInput,
    ) -> Result<(), ActivityError> {
        let parts = &self.parts;
        let Some(scan) = scans::system::find(&parts.db, &input.scan_id).await.map_err(database)? else {
            return Ok(());
        };
        let scan_id = &scan.id.0;
        if scan.status.0 != ScanStatus::Complete {
            parts.store.delete_prefix(&layout::scan_prefix(scan_id)).await.map_err(storage)?;
            return Ok(());
        }
        for prefix in [layout::upload_prefix(scan_id), layout::work_prefix(scan_id)] {
            parts.store.delete_prefix(&prefix).await.map_err(storage)?;
        }
        parts.store.delete(&layout::audio(scan_id)).await.map_err(storage)?;
        let (now, source) = (Timestamp::now(), layout::source_prefix(scan_id));
        let due = now.plus(parts.scans.keep_media());
        let payload = serde_json::json!({ "prefix": source });
        parts
            .db
            .write(async |txn| outbox::enqueue(&txn, Kind::Purge, &source, &payload, now, due).await)
            .await
            .map_err(database)?;
        failpoint("discard_media").await
    }
}

impl UploadActivities {
    /// Notes a video that was uploaded straight to storage, if it is there and is what was declared.
    async fn note_direct_upload(&self, scan: &ScanRow) -> Result<(), ActivityError> {
        let Some(declared) = scan.input.video.as_ref() else { return Ok(()) };
        let key = layout::upload(&scan.id, UploadSlot::Video);
        let Some(found) = self.parts.store.head(&key).await.map_err(storage)? else { return Ok(()) };
        let head = self.parts.store.get_head_bytes(&key, HEAD_BYTES).await.map_err(storage)?;
        let fits = found.bytes == declared.content_length && is_of_type(&scan.input, &head);
        if !fits {
            tracing::info!(scan = %scan.id.0, bytes = found.bytes, "an upload is not what was declared");
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
        self.parts
            .db
            .write(async |txn| uploads::put(&txn, &tenant, &scan.id, &upload, now).await)
            .await
            .map_err(database)?;
        Ok(())
    }

    /// Copies one upload, once. What was replaced after it was verified is not what was paid for.
    async fn secure(&self, upload: &UploadRow) -> Result<(), ActivityError> {
        let store = &self.parts.store;
        let to = layout::source(&upload.scan_id, upload.slot.0);
        let there = store.head(&to).await.map_err(storage)?;
        if there.is_some_and(|o| i64::try_from(o.bytes) == Ok(upload.bytes)) {
            return Ok(());
        }
        match store.copy_if_match(&upload.object_key, &to, &upload.etag).await {
            Ok(_) => Ok(()),
            Err(e @ ::media::objects::Error::PreconditionFailed { .. }) => {
                Err(give_up(FailureCode::MediaMissing, e))
            }
            Err(e) => Err(storage(e)),
        }
    }
}

fn is_of_type(input: &ScanInput, head: &[u8]) -> bool {
    let declared = input.video.as_ref().map_or("", |v| v.content_type.as_str());
    media::sniff(head).is_some_and(|sniffed| media::agrees(declared, sniffed))
}
