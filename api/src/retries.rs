//! Retries a scan that failed because of the service: creates a new scan from its stored media, and
//! starts it. Used by the endpoint and by `scan admin retry-scan`.

use std::time::Duration;

use domain::{FailureCode, KeyId, ScanStatus, Timestamp, layout, scan::StartOutcome};
use entities::{
    Db, ScanRow, UploadRow, audit_log,
    outbox::{self, Kind},
    scans::{self, Idempotency, NewRetry, RetryOutcome},
    uploads::{self, NewUpload},
};
use futures::{StreamExt, TryStreamExt, future, stream};
use media::{ObjectInfo, ObjectStore, objects};

use crate::engine::{EngineError, ScanEngine};

/// Number of uploads of one scan that are looked up in storage at a time.
const LOOKUPS: usize = 16;

/// The services that a retry needs.
#[derive(Clone, Copy)]
pub struct Retries<'a> {
    /// The database.
    pub db: &'a Db,
    /// Object storage.
    pub store: &'a ObjectStore,
    /// The engine.
    pub engine: &'a dyn ScanEngine,
    /// Time within which a retry that could not be started can still be started.
    pub start_window: Duration,
}

/// A request to retry a scan.
#[derive(Debug, Clone)]
pub struct RetryRequest {
    /// The API key that requests it, whose cap applies.
    pub key_id: Option<KeyId>,
    /// The `Idempotency-Key` of the request, if any.
    pub idempotency: Option<Idempotency>,
    /// Whether an operator requests it, which is recorded in the audit log.
    pub by_operator: bool,
}

/// A retry that exists, and the outcome of its start.
#[derive(Debug)]
pub struct Retried {
    /// The new scan, before its start.
    pub scan: ScanRow,
    /// Outcome of the start. `None` if the retry has ended or was started before.
    pub start: Option<Result<StartOutcome, EngineError>>,
}

/// Why a scan is not retried.
#[derive(Debug, thiserror::Error)]
pub enum RetryRefusal {
    /// It did not fail because of the service.
    #[error("only a scan that failed with PIPELINE_ERROR can be retried; this one is {status}")]
    NotRetryable {
        /// Its status.
        status: ScanStatus,
        /// Reason for its failure.
        failure: Option<FailureCode>,
    },
    /// Its media are no longer stored.
    #[error("the media of the scan are no longer stored")]
    MediaDeleted,
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// The scan or its space does not exist.
    #[error("the scan or its space does not exist")]
    NotFound,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] objects::Error),
}

impl Retries<'_> {
    /// Creates a scan from the media of a failed one and starts it, or returns the retry that an
    /// earlier call created, and starts it if that call could not.
    ///
    /// The scan and the references to its media are created in one transaction. If the process dies
    /// after it, the new scan awaits its start like any other: a repeated call starts it, and without
    /// one it is cancelled after the start window. Nothing is charged before the start.
    ///
    /// # Errors
    /// Returns a refusal, in which case nothing was created, or an error if the database or storage
    /// fails. A refused start is no error: the new scan exists.
    pub async fn retry(&self, failed: &ScanRow, request: &RetryRequest) -> Result<Retried, RetryRefusal> {
        let new = NewRetry {
            tenant: failed.tenant(),
            scan_id: failed.id.0.clone(),
            key_id: request.key_id.clone(),
            media: self.stored_media(failed).await?,
            start_window: self.start_window,
            idempotency: request.idempotency.clone(),
        };
        let now = Timestamp::now();
        let outcome: entities::Result<RetryOutcome> = self
            .db
            .write(async |txn| {
                let outcome = scans::retry(&txn, &new, now).await?;
                if let (RetryOutcome::Created(scan), true) = (&outcome, request.by_operator) {
                    let entry = audit_log::NewEntry {
                        account_id: &new.tenant.account_id,
                        actor: "operator",
                        action: "scan.retried",
                        subject: scan.id.as_str(),
                        detail: serde_json::json!({ "retry_of": new.scan_id }),
                    };
                    audit_log::append(&txn, entry, now).await?;
                }
                Ok(outcome)
            })
            .await;
        let scan = match outcome? {
            RetryOutcome::Created(scan) => {
                self.ensure_workflow(&scan).await;
                scan
            }
            RetryOutcome::Existing(scan) => scan,
            RetryOutcome::KeyReused => return Err(RetryRefusal::KeyReused),
            RetryOutcome::NotRetryable { status, failure } => {
                return Err(RetryRefusal::NotRetryable { status, failure });
            }
            RetryOutcome::MediaDeleted => return Err(RetryRefusal::MediaDeleted),
            RetryOutcome::NotFound => return Err(RetryRefusal::NotFound),
        };
        let start = if scan.is_open(now) {
            Some(self.engine.start_scan(&scan.seed(), request.key_id.clone()).await)
        } else {
            None
        };
        Ok(Retried { scan, start })
    }

    /// Starts the workflow of a new scan and completes its outbox entry. If that fails, the relay
    /// does it later.
    async fn ensure_workflow(&self, scan: &ScanRow) {
        let id = scan.id.as_str();
        if let Err(error) = self.engine.ensure_scan(&scan.seed()).await {
            tracing::warn!(scan = id, %error, "the engine is unavailable; the relay will start the workflow of the scan");
            return;
        }
        if let Err(error) = outbox::complete(self.db, Kind::ScanWorkflow, id, Timestamp::now()).await {
            tracing::warn!(scan = id, %error, "failed to complete an outbox entry; the relay will do it");
        }
    }

    /// Returns the media of a failed scan that are still stored; none if the scan keeps no media.
    async fn stored_media(&self, failed: &ScanRow) -> Result<Vec<NewUpload>, RetryRefusal> {
        if !failed.is_retryable() || failed.media_deleted_at.is_some() {
            return Ok(Vec::new());
        }
        let recorded = uploads::list(self.db, &failed.tenant(), &failed.id).await?;
        let found = stream::iter(recorded).map(|upload| self.stored(upload)).buffered(LOOKUPS);
        Ok(found.try_filter_map(future::ok).try_collect().await?)
    }

    /// Returns where the object of an upload is stored: its protected copy or, if the scan failed
    /// before it was copied, the unchanged upload.
    async fn stored(&self, upload: UploadRow) -> Result<Option<NewUpload>, objects::Error> {
        let has_size = |object: &ObjectInfo| i64::try_from(object.bytes) == Ok(upload.bytes);
        let copy = layout::source(&upload.scan_id, upload.slot.0);
        let (object_key, found) = match self.store.head(&copy).await?.filter(has_size) {
            Some(found) => (copy, found),
            None => match self.store.head(&upload.object_key).await? {
                Some(found) if found.etag == upload.etag => (upload.object_key, found),
                _ => return Ok(None),
            },
        };
        Ok(Some(NewUpload {
            slot: upload.slot.0,
            object_key,
            content_type: upload.content_type,
            bytes: upload.bytes,
            etag: found.etag,
            sha256: upload.sha256,
        }))
    }
}
