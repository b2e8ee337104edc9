//! Scans: creates, uploads, starts, retries, reads and cancels them.

mod cancel;
mod create;
pub(crate) mod examples;
mod read;
mod retry;
mod start;
mod upload;
mod uploads;

use domain::{
    ApiErrorCode as C, ScanId, ScanStatus, Timestamp,
    document::SpaceDocument,
    media::{PHOTO_TYPES, ScanInput, VIDEO_TYPES},
    scan::Scan,
    scope::Scope,
};
use entities::{ScanRow, scans};
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{list_of, with},
        schema::SchemaRef,
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
    routes::space_documents,
};

/// A new scan.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewScan {
    /// Description of the media that you will upload.
    pub input: ScanInput,
}

/// Body of a start: an empty object.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartScan {}

/// Body of a retry: an empty object.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryScan {}

/// A scan with its document.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScanWithDocument {
    /// The scan.
    #[serde(flatten)]
    pub scan: Scan,
    /// The Space Document of this scan; null unless the scan is complete.
    #[schema(value_type = Option<SpaceDocument>)]
    pub document: Option<Value>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [scan_endpoints(), upload_endpoints(), vec![start_endpoint(), retry_endpoint()]].concat()
}

fn scan_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/spaces/{id}/scans", "listScans", "Scans")
            .about("List the scans of a space", "Newest first, with every status.")
            .paged()
            .responds::<List<Scan>>(200, "A page of scans.")
            .response_example(200, list_of(examples::complete()))
            .key(Scope::ScansRead, read::list),
        endpoint(Method::POST, "/spaces/{id}/scans", "createScan", "Scans")
            .about(
                "Create a scan",
                "Charges nothing. The response has upload instructions. A scan that is not started within 24 hours is \
                 cancelled. A repeat with the same `Idempotency-Key` returns the existing scan.",
            )
            .header("Idempotency-Key", "Makes retries safe.", SchemaRef::idempotency_key())
            .json_body::<NewScan>()
            .responds::<Scan>(201, "The scan, with upload instructions.")
            .responds::<Scan>(200, "The scan that an earlier request with the same `Idempotency-Key` created.")
            .errors(&[C::IdempotencyKeyReused, C::UploadQuotaExceeded, C::UnstartedScanLimit])
            .request_example(json!({ "input": examples::input() }))
            .response_example(201, examples::awaiting())
            .response_example(200, examples::awaiting())
            .key(Scope::ScansWrite, create::create),
        endpoint(Method::GET, "/spaces/{id}/scans/{scan_id}", "getScanOfSpace", "Scans")
            .about("Get a scan and its Space Document", "")
            .responds::<ScanWithDocument>(200, "The scan and its document.")
            .response_example(200, with(examples::complete(), json!({ "document": space_documents::example() })))
            .key(Scope::ScansRead, read::get_of_space),
        endpoint(Method::GET, "/scans/{id}", "getScan", "Scans")
            .about("Get a scan", "While the scan awaits its upload, the response has upload instructions, if the key has `scans:write`.")
            .responds::<Scan>(200, "The scan.")
            .response_example(200, examples::complete())
            .key(Scope::ScansRead, read::get),
        endpoint(Method::DELETE, "/scans/{id}", "cancelScan", "Scans")
            .about("Cancel a scan that awaits its upload", "Charges nothing, and deletes the uploads.")
            .responds_empty(204, "Cancelled, now or by an earlier request.")
            .errors(&[C::ScanNotCancellable, C::EngineUnavailable])
            .key(Scope::ScansWrite, cancel::cancel),
    ]
}

fn upload_endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::PUT, "/scans/{id}/frames/{index}", "putFrame", "Uploads")
            .about("Upload a photo", "Can be repeated while the scan awaits its upload. At most 20 MB.")
            .upload_body(&PHOTO_TYPES)
            .responds_empty(204, "Stored.")
            .errors(&[C::UploadMismatch, C::UploadQuotaExceeded, C::ScanAlreadyStarted, C::ScanCancelled])
            .key(Scope::ScansWrite, upload::put_frame),
        endpoint(Method::PUT, "/scans/{id}/video", "putVideo", "Uploads")
            .about(
                "Upload the video",
                "Only if `upload.url` is the URL of this operation. Type and size must be as declared, at most 95 MB. Can \
                 be repeated while the scan awaits its upload.",
            )
            .upload_body(&VIDEO_TYPES)
            .responds_empty(204, "Stored.")
            .errors(&[C::UploadMismatch, C::ScanAlreadyStarted, C::ScanCancelled])
            .key(Scope::ScansWrite, upload::put_video),
    ]
}

fn start_endpoint() -> Endpoint {
    endpoint(Method::POST, "/scans/{id}/start", "startScan", "Scans")
        .about("Start a scan", "Charges the scan at most once, when it starts. The body can be omitted.")
        .optional_json_body::<StartScan>()
        .responds::<Scan>(202, "The queued scan and its charge.")
        .responds::<Scan>(200, "An earlier request started the scan; nothing is charged again.")
        .errors(&[
            C::UploadIncomplete,
            C::ScanCancelled,
            C::ScansInProgress,
            C::InsufficientFunds,
            C::EmailNotConfirmed,
            C::SpendingCapReached,
            C::EngineUnavailable,
        ])
        .request_example(json!({}))
        .response_example(202, examples::queued())
        .response_example(200, examples::complete())
        .key(Scope::ScansWrite, start::start)
}

fn retry_endpoint() -> Endpoint {
    endpoint(Method::POST, "/scans/{id}/retry", "retryScan", "Scans")
        .about(
            "Retry a scan that failed on our side",
            "Creates a new scan from the media of a scan that failed with `PIPELINE_ERROR`, and starts it. The media \
             are kept for 7 days. The new scan is charged like any other; the failed scan stays failed and refunded. \
             If the start is refused, the new scan (`scan_id` in the error) awaits its start: repeat the request, or \
             start that scan. A scan has one retry, unless the retry failed or was cancelled. The body can be omitted.",
        )
        .header("Idempotency-Key", "Makes retries safe.", SchemaRef::idempotency_key())
        .optional_json_body::<RetryScan>()
        .responds::<Scan>(202, "The new scan, queued, and its charge.")
        .responds::<Scan>(200, "The new scan, which an earlier request started; nothing is charged again.")
        .errors(&[
            C::ScanNotRetryable,
            C::ScanMediaDeleted,
            C::IdempotencyKeyReused,
            C::UploadIncomplete,
            C::ScanCancelled,
            C::ScansInProgress,
            C::InsufficientFunds,
            C::EmailNotConfirmed,
            C::SpendingCapReached,
            C::EngineUnavailable,
        ])
        .request_example(json!({}))
        .response_example(202, examples::retry())
        .response_example(200, examples::retry())
        .key(Scope::ScansWrite, retry::retry)
}

/// Returns the scan in the path.
async fn find(app: &App, caller: &Caller, request: &Request) -> ApiResult<ScanRow> {
    let id = request.id::<ScanId>("id")?;
    scans::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)
}

/// Returns the scan as the caller sees it, with upload instructions while it accepts uploads.
async fn present(app: &App, caller: &Caller, row: &ScanRow, now: Timestamp) -> ApiResult<Scan> {
    let scan = scans::view(app.db(), row).await?;
    with_upload(app, caller, row, scan, now).await
}

/// Adds upload instructions while the scan accepts uploads. A signed URL needs no key, so only a
/// caller who may write scans gets one.
async fn with_upload(
    app: &App,
    caller: &Caller,
    row: &ScanRow,
    mut scan: Scan,
    now: Timestamp,
) -> ApiResult<Scan> {
    if row.is_open(now) && caller.allows(Scope::ScansWrite) {
        scan.upload = Some(uploads::instructions(app, row, now).await?);
    }
    Ok(scan)
}

/// Returns the error for an upload to a scan that is not open.
fn closed(status: ScanStatus) -> ApiError {
    match status {
        // A scan that still awaits its upload is past its deadline and counts as cancelled.
        ScanStatus::Cancelled | ScanStatus::AwaitingUpload => ApiError::new(C::ScanCancelled),
        _ => ApiError::new(C::ScanAlreadyStarted),
    }
}
