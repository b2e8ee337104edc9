//! `POST /scans/{id}/retry`.

use std::time::Duration;

use domain::{ApiErrorCode as C, ScanId, scan::StartOutcome};
use entities::{ScanRow, scans::Idempotency};
use sha2::{Digest, Sha256};

use super::{
    RetryScan, find,
    start::{Started, current_scan, respond},
};
use crate::{
    App,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    retries::{Retried, Retries, RetryRefusal, RetryRequest},
};

pub(super) async fn retry(app: App, caller: Caller, mut request: Request) -> ApiResult<Started> {
    let failed = find(&app, &caller, &request).await?;
    let key = request.idempotency_key()?;
    let RetryScan {} = request.json_or_default().await?;
    let retries = Retries {
        db: app.db(),
        store: app.objects(),
        engine: app.engine(),
        start_window: Duration::from_secs(app.settings().start_window_seconds),
    };
    let request = RetryRequest {
        key_id: caller.key_id(),
        idempotency: key.map(|key| Idempotency { key, request_hash: request_hash(&failed) }),
        by_operator: false,
    };
    let reserved = app.admit_test_scan(&caller.tenant).await?;
    let Retried { scan, start } = retries.retry(&failed, &request).await.map_err(refused)?;
    if let Some(reserved) = reserved {
        reserved.settle(matches!(start, Some(Ok(StartOutcome::Started { .. })))).await;
    }
    let id = &scan.id.0;
    match start {
        None => current_scan(&app, &scan).await,
        Some(outcome) => respond(&app, &caller, id, outcome).await.map_err(|error| with_new_scan(error, id)),
    }
}

/// Adds the id of the new scan, which awaits its start.
fn with_new_scan(error: ApiError, scan: &ScanId) -> ApiError {
    error.with("scan_id", scan.as_str())
}

fn refused(refusal: RetryRefusal) -> ApiError {
    match refusal {
        RetryRefusal::NotRetryable { status, failure } => {
            let error = ApiError::new(C::ScanNotRetryable).with("status", status.as_str());
            match failure {
                Some(code) => error.with("failure", code.as_str()),
                None => error,
            }
        }
        RetryRefusal::MediaDeleted => ApiError::new(C::ScanMediaDeleted),
        RetryRefusal::KeyReused => ApiError::new(C::IdempotencyKeyReused),
        RetryRefusal::NotFound => ApiError::not_found(),
        RetryRefusal::Database(error) => error.into(),
        RetryRefusal::Storage(error) => error.into(),
    }
}

/// Hashes the request, which has no other content than the failed scan.
fn request_hash(failed: &ScanRow) -> String {
    hex::encode(Sha256::digest(format!("retry {}", failed.id.as_str())))
}
