//! `PUT /scans/{id}/frames/{index}` and `PUT /scans/{id}/video`.

use domain::{
    ApiErrorCode as C, Timestamp, layout,
    media::{InputKind, MAX_API_VIDEO_BYTES, MAX_PHOTO_BYTES, PHOTO_TYPES, UploadSlot},
};
use entities::{
    ScanRow,
    uploads::{self, NewUpload, PutOutcome},
};
use http::StatusCode;
use ulid::Ulid;

use super::{closed, find};
use crate::{
    App,
    http::{
        auth::Caller,
        body::{Body, media_type, too_large},
        error::{ApiError, ApiResult},
        receive::{Expected, receive},
        request::Request,
    },
};

pub(super) async fn put_frame(app: App, caller: Caller, request: Request) -> ApiResult<StatusCode> {
    let text = request.param("index");
    let index: u32 = text.parse().map_err(|_| ApiError::not_found())?;
    if index.to_string() != text {
        return Err(ApiError::not_found());
    }
    put(app, caller, request, UploadSlot::Frame(index)).await
}

pub(super) async fn put_video(app: App, caller: Caller, request: Request) -> ApiResult<StatusCode> {
    put(app, caller, request, UploadSlot::Video).await
}

/// Stores the body as the media of one slot of a scan.
async fn put(app: App, caller: Caller, request: Request, slot: UploadSlot) -> ApiResult<StatusCode> {
    let checks = async {
        let row = authorize(&app, &caller, &request, slot).await?;
        let expected = requirements(&row, &request, slot)?;
        let declared = request.body.declared().unwrap_or(0);
        check_quota(&app, &caller, &row, slot, declared).await?;
        ApiResult::Ok((row, expected))
    };
    let (row, expected) = app.with_database(checks).await??;
    store(&app, &caller, &row, slot, expected, request.body).await
}

/// Returns the scan if it has this slot and accepts uploads.
async fn authorize(app: &App, caller: &Caller, request: &Request, slot: UploadSlot) -> ApiResult<ScanRow> {
    let row = find(app, caller, request).await?;
    let has_slot = match slot {
        UploadSlot::Video => row.input.kind == InputKind::Video,
        UploadSlot::Frame(index) => {
            row.input.frames.as_ref().is_some_and(|frames| (index as usize) < frames.len())
        }
    };
    if !has_slot {
        return Err(ApiError::not_found());
    }
    if !row.is_open(Timestamp::now()) {
        return Err(closed(row.status.0));
    }
    Ok(row)
}

/// Returns the media type and size that the slot requires, if the headers agree with them.
fn requirements(row: &ScanRow, request: &Request, slot: UploadSlot) -> ApiResult<Expected> {
    let content_type =
        media_type(&request.headers).ok_or_else(|| unsupported("Send a `Content-Type`.".into()))?;
    let expected = match (slot, &row.input.video) {
        (UploadSlot::Video, Some(video)) => {
            if content_type != video.content_type {
                let declared = &video.content_type;
                return Err(unsupported(format!("The scan declared {declared}, not {content_type}.")));
            }
            Expected { content_type, bytes: Some(video.content_length), limit: MAX_API_VIDEO_BYTES }
        }
        (UploadSlot::Video, None) => return Err(ApiError::not_found()),
        (UploadSlot::Frame(_), _) => {
            if !PHOTO_TYPES.contains(&content_type.as_str()) {
                return Err(unsupported(format!("A photo must be one of {}.", PHOTO_TYPES.join(", "))));
            }
            Expected { content_type, bytes: None, limit: MAX_PHOTO_BYTES }
        }
    };
    if expected.bytes.is_some_and(|bytes| bytes > expected.limit) {
        return Err(too_large(expected.limit));
    }
    Ok(expected)
}

/// Refuses an upload whose declared size exceeds the remaining quota of the account.
async fn check_quota(
    app: &App,
    caller: &Caller,
    row: &ScanRow,
    slot: UploadSlot,
    declared: u64,
) -> ApiResult<()> {
    let quota = super::uploads::quota(app);
    let declared = i64::try_from(declared).unwrap_or(i64::MAX);
    if uploads::fits_quota(app.db(), &caller.tenant, &row.id, slot, declared, quota, Timestamp::now()).await?
    {
        return Ok(());
    }
    Err(ApiError::new(C::UploadQuotaExceeded))
}

/// Stores the body under a new key and records it. Deletes the object that it replaces, or the new
/// object if the upload cannot be recorded.
async fn store(
    app: &App,
    caller: &Caller,
    row: &ScanRow,
    slot: UploadSlot,
    expected: Expected,
    body: Body,
) -> ApiResult<StatusCode> {
    let object_key = layout::upload_attempt(&row.id, slot, &Ulid::new());
    let stored = receive(app, &object_key, &expected, body).await?;
    let upload = NewUpload {
        slot,
        object_key,
        content_type: expected.content_type,
        bytes: i64::try_from(stored.bytes).map_err(ApiError::internal)?,
        etag: stored.etag,
        sha256: None,
    };
    let (quota, now) = (super::uploads::quota(app), Timestamp::now());
    let put = async |txn| uploads::put_within(&txn, &caller.tenant, &row.id, &upload, quota, now).await;
    let error = match app.with_database(app.db().write(put)).await?? {
        PutOutcome::Stored { replaced } => {
            discard(app, replaced.as_deref()).await;
            if slot == UploadSlot::Video {
                // A video uploaded earlier through a signed URL would count as newer at the start.
                discard(app, Some(&layout::upload(&row.id, slot))).await;
            }
            return Ok(StatusCode::NO_CONTENT);
        }
        PutOutcome::Closed { status } => closed(status),
        // Concurrent uploads used up the quota, or the request declared no length.
        PutOutcome::OverQuota => ApiError::new(C::UploadQuotaExceeded),
        PutOutcome::NoSuchSlot | PutOutcome::NotFound => ApiError::not_found(),
    };
    discard(app, Some(&upload.object_key)).await;
    Err(error)
}

/// Deletes an object that nothing refers to. If that fails, an outbox entry deletes it later, at the
/// latest when its scan ends.
pub(super) async fn discard(app: &App, key: Option<&str>) {
    let Some(key) = key else { return };
    if let Err(error) = app.with_storage(app.objects().delete(key)).await {
        tracing::warn!(key, %error, "an unreferenced upload was not deleted; it is deleted when its scan ends");
    }
}

fn unsupported(message: String) -> ApiError {
    ApiError::new(C::UnsupportedMediaType).message(message)
}
