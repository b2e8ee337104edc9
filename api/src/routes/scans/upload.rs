//! `PUT /scans/{id}/frames/{index}` and `PUT /scans/{id}/video`.

use domain::{
    ApiErrorCode as C, Timestamp, layout,
    media::{InputKind, MAX_API_VIDEO_BYTES, MAX_PHOTO_BYTES, PHOTO_TYPES, UploadSlot},
};
use entities::uploads::{self, NewUpload, PutOutcome};
use http::StatusCode;
use ulid::Ulid;

use super::{closed, find};
use crate::{
    App,
    http::{
        auth::Caller,
        body::{media_type, too_large},
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

async fn put(app: App, caller: Caller, request: Request, slot: UploadSlot) -> ApiResult<StatusCode> {
    let row = find(&app, &caller, &request).await?;
    let fits = match slot {
        UploadSlot::Video => row.input.kind == InputKind::Video,
        UploadSlot::Frame(index) => {
            row.input.frames.as_ref().is_some_and(|frames| (index as usize) < frames.len())
        }
    };
    if !fits {
        return Err(ApiError::not_found());
    }
    if !row.is_open(Timestamp::now()) {
        return Err(closed(row.status.0));
    }
    let sent = media_type(&request.headers).ok_or_else(|| unsupported("Send a `Content-Type`.".into()))?;
    let expected = match (slot, &row.input.video) {
        (UploadSlot::Video, Some(video)) => {
            if sent != video.content_type {
                let declared = &video.content_type;
                return Err(unsupported(format!("The scan was created for {declared}, not for {sent}.")));
            }
            Expected { content_type: sent, bytes: Some(video.content_length), limit: MAX_API_VIDEO_BYTES }
        }
        (UploadSlot::Video, None) => return Err(ApiError::not_found()),
        (UploadSlot::Frame(_), _) => {
            if !PHOTO_TYPES.contains(&sent.as_str()) {
                return Err(unsupported(format!("A photo must be one of {}.", PHOTO_TYPES.join(", "))));
            }
            Expected { content_type: sent, bytes: None, limit: MAX_PHOTO_BYTES }
        }
    };
    if expected.bytes.is_some_and(|bytes| bytes > expected.limit) {
        return Err(too_large(expected.limit));
    }
    let quota = app.settings().limits.unstarted_upload_bytes;
    let announced = i64::try_from(request.body.declared().unwrap_or(0)).unwrap_or(i64::MAX);
    if !uploads::fits(app.db(), &caller.tenant, &row.id, slot, announced, quota, Timestamp::now()).await? {
        return Err(ApiError::new(C::UploadQuotaExceeded));
    }
    let object_key = layout::upload_attempt(&row.id, slot, &Ulid::new());
    let stored = receive(&app, &object_key, &expected, request.body).await?;

    let upload = NewUpload {
        slot,
        object_key,
        content_type: expected.content_type,
        bytes: i64::try_from(stored.bytes).map_err(ApiError::internal)?,
        etag: stored.etag,
        sha256: None,
    };
    let now = Timestamp::now();
    let put = async |txn| uploads::put_within(&txn, &caller.tenant, &row.id, &upload, quota, now).await;
    let refused = match app.db().write(put).await? {
        PutOutcome::Stored { replaced } => {
            discard(&app, replaced.as_deref()).await;
            if slot == UploadSlot::Video {
                // Else what came by the signed link before would count as the newer one at the start.
                discard(&app, Some(&layout::upload(&row.id, slot))).await;
            }
            return Ok(StatusCode::NO_CONTENT);
        }
        PutOutcome::Closed { status } => closed(status),
        // Others were faster, or the length was not announced.
        PutOutcome::OverQuota => ApiError::new(C::UploadQuotaExceeded),
        PutOutcome::NoSuchSlot | PutOutcome::NotFound => ApiError::not_found(),
    };
    discard(&app, Some(&upload.object_key)).await;
    Err(refused)
}

/// Deletes an object that no upload refers to. One that stays is swept with all that was uploaded for its scan.
async fn discard(app: &App, key: Option<&str>) {
    let Some(key) = key else { return };
    if let Err(error) = app.objects().delete(key).await {
        tracing::warn!(key, %error, "an upload that nobody refers to stays until its scan ends");
    }
}

fn unsupported(message: String) -> ApiError {
    ApiError::new(C::UnsupportedMediaType).message(message)
}
