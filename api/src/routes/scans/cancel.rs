//! `DELETE /scans/{id}`.

use domain::{ApiErrorCode, ScanStatus, scan::CancelOutcome};
use http::StatusCode;

use super::find;
use crate::{
    App,
    engine::EngineError,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
};

pub(super) async fn cancel(app: App, caller: Caller, request: Request) -> ApiResult<StatusCode> {
    let row = find(&app, &caller, &request).await?;
    match row.status.0 {
        ScanStatus::Cancelled => return Ok(StatusCode::NO_CONTENT),
        ScanStatus::AwaitingUpload => {}
        status => return Err(not_cancellable(status)),
    }
    match app.engine().cancel_scan(&row.seed()).await {
        Ok(CancelOutcome::Cancelled) => Ok(StatusCode::NO_CONTENT),
        Ok(CancelOutcome::NotCancellable { status }) => Err(not_cancellable(status)),
        Ok(CancelOutcome::NotFound) => Err(ApiError::not_found()),
        Err(EngineError::Closed) => status_after_end(&app, &caller, &request).await,
        Err(error) => Err(error.into()),
    }
}

/// Responds with the status in the database, because the workflow ended before it received the
/// request.
async fn status_after_end(app: &App, caller: &Caller, request: &Request) -> ApiResult<StatusCode> {
    match find(app, caller, request).await?.status.0 {
        ScanStatus::Cancelled => Ok(StatusCode::NO_CONTENT),
        ScanStatus::AwaitingUpload => Err(EngineError::Closed.into()),
        status => Err(not_cancellable(status)),
    }
}

fn not_cancellable(status: ScanStatus) -> ApiError {
    ApiError::new(ApiErrorCode::ScanNotCancellable)
        .message(format!("Only a scan that awaits its upload can be cancelled; this one is {status}."))
        .with("status", status.as_str())
}
