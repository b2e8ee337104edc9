//! `POST /spaces/{id}/scans`.

use std::time::Duration;

use domain::{
    ApiErrorCode, ScanId, SpaceId, Timestamp, layout,
    media::{MAX_API_VIDEO_BYTES, MAX_VIDEO_BYTES, ScanInput, Transcript},
};
use entities::{
    ScanRow, idempotency_keys,
    outbox::{self, Kind},
    scans::{self, CreateOutcome, Idempotency},
};
use http::StatusCode;
use sha2::{Digest, Sha256};
use warp::reply::{Reply, Response, json, with_header, with_status};

use super::{NewScan, present, upload, uploads};
use crate::{
    App,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::validate,
};

pub(super) async fn create(app: App, caller: Caller, mut request: Request) -> ApiResult<Response> {
    let space_id = request.id::<SpaceId>("id")?;
    let key = request.idempotency_key()?;
    let NewScan { mut input } = request.json().await?;
    let max_video = if app.objects().has_public_address() { MAX_VIDEO_BYTES } else { MAX_API_VIDEO_BYTES };
    validate::scan_input(&input, max_video)?;

    let idempotency = match key {
        Some(key) => Some(Idempotency { key, request_hash: request_hash(&input)? }),
        None => None,
    };
    let transcript = match input.transcript.take() {
        Some(transcript) => store_transcript(&app, &caller, idempotency.as_ref(), &transcript).await?,
        None => None,
    };
    let new = scans::NewScan {
        tenant: caller.tenant.clone(),
        space_id,
        key_id: caller.key_id(),
        input,
        transcript,
        start_window: Duration::from_secs(app.settings().start_window_seconds),
        upload_quota: uploads::quota(&app),
        max_unstarted: app.settings().limits.unstarted_scans,
        idempotency,
    };
    let now = Timestamp::now();
    let outcome = app.db().write(async |txn| scans::create(&txn, &new, now).await).await?;
    if let (Some(id), false) = (&new.transcript, matches!(outcome, CreateOutcome::Created(_))) {
        upload::discard(&app, Some(&layout::transcript(id))).await;
    }
    match outcome {
        CreateOutcome::Created(row) => {
            start_workflow(&app, &row).await;
            Ok(with_status(json(&present(&app, &caller, &row, now).await?), StatusCode::CREATED)
                .into_response())
        }
        CreateOutcome::Replayed(row) => {
            let scan = present(&app, &caller, &row, now).await?;
            Ok(with_header(json(&scan), "Idempotent-Replayed", "true").into_response())
        }
        CreateOutcome::KeyReused => Err(ApiError::new(ApiErrorCode::IdempotencyKeyReused)),
        CreateOutcome::OverQuota => Err(ApiError::new(ApiErrorCode::UploadQuotaExceeded)),
        CreateOutcome::TooManyUnstarted => {
            let limit = app.settings().limits.unstarted_scans;
            Err(ApiError::new(ApiErrorCode::UnstartedScanLimit).with("limit", limit))
        }
        CreateOutcome::SpaceNotFound => Err(ApiError::not_found()),
    }
}

/// Stores a transcript as an object, and returns the id of the scan that it is for. Returns `None` if
/// an earlier request with the same idempotency key created the scan.
async fn store_transcript(
    app: &App,
    caller: &Caller,
    idempotency: Option<&Idempotency>,
    transcript: &Transcript,
) -> ApiResult<Option<ScanId>> {
    if let Some(idempotency) = idempotency
        && idempotency_keys::find(app.db(), &caller.tenant, &idempotency.key).await?.is_some()
    {
        return Ok(None);
    }
    let (id, now) = (ScanId::new(), Timestamp::now());
    app.db().write(async |txn| scans::before_transcript(&txn, &id, now).await).await?;
    let json = serde_json::to_vec(transcript).map_err(ApiError::internal)?;
    app.with_storage(app.objects().put_bytes(&layout::transcript(&id), "application/json", json)).await?;
    Ok(Some(id))
}

/// Starts the workflow of a new scan and completes its outbox entry. If that fails, the relay does
/// it later; starting the workflow here only saves time.
async fn start_workflow(app: &App, row: &ScanRow) {
    let scan = row.id.as_str();
    if let Err(error) = app.engine().ensure_scan(&row.seed()).await {
        tracing::warn!(scan, %error, "the engine is unavailable; the relay will start the workflow of the scan");
        return;
    }
    if let Err(error) = outbox::complete(app.db(), Kind::ScanWorkflow, scan, Timestamp::now()).await {
        tracing::warn!(scan, %error, "failed to complete an outbox entry; the relay will do it");
    }
}

/// Hashes the parsed input, so that equivalent bodies have the same hash.
fn request_hash(input: &ScanInput) -> ApiResult<String> {
    let canonical = serde_json::to_vec(input).map_err(ApiError::internal)?;
    Ok(hex::encode(Sha256::digest(canonical)))
}
