//! `POST /scans/{id}/start`.
//!
//! Closed scans and missing uploads are refused without the engine. Otherwise the engine decides and
//! charges at most once.

use domain::{
    ApiErrorCode as C, ScanId, ScanStatus, Timestamp,
    scan::{Scan, StartOutcome},
};
use entities::{
    ScanRow,
    outbox::{self, Kind},
    scans, users, wallets,
};
use http::StatusCode;
use warp::reply::{Json, WithStatus, json, with_status};

use super::{StartScan, find};
use crate::{
    App,
    engine::EngineError,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::scans::uploads,
};

/// `Retry-After` at the limit of scans in progress, in seconds.
const IN_PROGRESS_RETRY_SECONDS: u64 = 30;

pub(super) type Started = WithStatus<Json>;

pub(super) async fn start(app: App, caller: Caller, mut request: Request) -> ApiResult<Started> {
    let row = find(&app, &caller, &request).await?;
    let StartScan {} = request.json_or_default().await?;
    let now = Timestamp::now();
    if !row.is_open(now) {
        return match row.status.0 {
            ScanStatus::Cancelled | ScanStatus::AwaitingUpload => Err(ApiError::new(C::ScanCancelled)),
            _ => already_started(&app, &caller, row).await,
        };
    }
    let missing = uploads::reconcile(&app, &row, now).await?;
    if !missing.is_empty() {
        return Err(incomplete(missing.len()));
    }
    let reserved = app.admit_test_scan(&caller.tenant).await?;
    let outcome = app.engine().start_scan(&row.seed(), caller.key_id()).await;
    if let Some(reserved) = reserved {
        reserved.settle(matches!(outcome, Ok(StartOutcome::Started { .. }))).await;
    }
    respond(&app, &caller, &row.id, outcome).await
}

/// Responds with the outcome of starting a scan of the caller.
pub(super) async fn respond(
    app: &App,
    caller: &Caller,
    id: &ScanId,
    outcome: Result<StartOutcome, EngineError>,
) -> ApiResult<Started> {
    let find = async || scans::find(app.db(), &caller.tenant, id).await?.ok_or_else(ApiError::not_found);
    match outcome {
        Ok(StartOutcome::Started { .. }) => {
            let row = find().await?;
            let scan = as_queued(scans::view(app.db(), &row).await?);
            Ok(with_status(json(&scan), StatusCode::ACCEPTED))
        }
        Ok(StartOutcome::AlreadyStarted { .. }) => {
            let row = find().await?;
            current_scan(app, &row).await
        }
        Ok(StartOutcome::Cancelled) => Err(ApiError::new(C::ScanCancelled)),
        Ok(StartOutcome::NotFound) => Err(ApiError::not_found()),
        Ok(StartOutcome::UploadIncomplete { missing }) => Err(incomplete(missing as usize)),
        Ok(StartOutcome::ScansInProgress { limit }) => {
            Err(ApiError::new(C::ScansInProgress).with("limit", limit).retry_after(IN_PROGRESS_RETRY_SECONDS))
        }
        Ok(StartOutcome::SpendingCapReached) => Err(ApiError::new(C::SpendingCapReached)),
        Ok(StartOutcome::InsufficientFunds { .. }) if has_locked_free_scans(app, caller).await? => {
            Err(ApiError::new(C::EmailNotConfirmed)
                .message("Confirm your e-mail address to use your free scans in live mode."))
        }
        Ok(StartOutcome::InsufficientFunds { balance_cents, price_cents }) => {
            Err(ApiError::new(C::InsufficientFunds)
                .with("balance_cents", balance_cents)
                .with("price_cents", price_cents))
        }
        Err(EngineError::Closed) => {
            // The workflow ended before it received the request: the database has its outcome.
            let row = find().await?;
            match row.status.0 {
                ScanStatus::Cancelled => Err(ApiError::new(C::ScanCancelled)),
                ScanStatus::AwaitingUpload => Err(EngineError::Closed.into()),
                _ => current_scan(app, &row).await,
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns whether the caller has free scans that wait for the confirmation of an e-mail address.
async fn has_locked_free_scans(app: &App, caller: &Caller) -> ApiResult<bool> {
    if users::is_cleared_for(app.db(), &caller.tenant).await? {
        return Ok(false);
    }
    Ok(wallets::find(app.db(), &caller.tenant).await?.is_some_and(|wallet| wallet.free_scans > 0))
}

/// Responds with 200, because an earlier request started the scan. If a crash may have lost the
/// signal to its workflow, the start is repeated in the background.
async fn already_started(app: &App, caller: &Caller, row: ScanRow) -> ApiResult<Started> {
    if outbox::is_pending(app.db(), Kind::ScanStart, row.id.as_str()).await? {
        let (app, seed, key) = (app.clone(), row.seed(), caller.key_id());
        tokio::spawn(telemetry::in_current_span(async move {
            if let Err(error) = app.engine().start_scan(&seed, key).await {
                tracing::warn!(scan = %seed.scan_id, %error, "the engine is unavailable; the relay will start the scan");
            }
        }));
    }
    current_scan(app, &row).await
}

/// Responds with 200 and the scan as it is.
pub(super) async fn current_scan(app: &App, row: &ScanRow) -> ApiResult<Started> {
    Ok(with_status(json(&scans::view(app.db(), row).await?), StatusCode::OK))
}

fn incomplete(missing: usize) -> ApiError {
    ApiError::new(C::UploadIncomplete).with("missing", missing)
}

/// Returns the scan as it was when it was queued: the pipeline may have progressed since the
/// charge.
fn as_queued(mut scan: Scan) -> Scan {
    scan.status = ScanStatus::Queued;
    (scan.stage, scan.progress, scan.waiting, scan.error) = (None, None, None, None);
    (scan.finished_at, scan.document_revision) = (None, None);
    scan.timeline.retain(|entry| matches!(entry.status, ScanStatus::AwaitingUpload | ScanStatus::Queued));
    if let Some(charge) = &mut scan.charge {
        charge.refunded = false;
    }
    scan
}
