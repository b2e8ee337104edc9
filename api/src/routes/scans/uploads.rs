//! Upload instructions of a scan, and its missing uploads.

use std::{collections::BTreeMap, time::Duration};

use domain::{
    Timestamp, layout,
    media::{InputKind, UploadSlot, VideoInput},
    scan::UploadInstructions,
};
use entities::{
    ScanRow, UploadRow,
    uploads::{self, NewUpload, Quota},
};

use crate::{
    App,
    http::error::{ApiError, ApiResult},
};

/// Lifetime of a signed upload URL (from the contract).
const URL_TTL: Duration = Duration::from_secs(60 * 60);

/// Returns what an account and mode may store for scans that are not started.
pub(super) fn quota(app: &App) -> Quota {
    let url_lifetime = if app.objects().has_public_address() { URL_TTL } else { Duration::ZERO };
    Quota { bytes: app.settings().limits.unstarted_upload_bytes, url_lifetime }
}

/// Returns instructions to upload the media of a scan, with a URL signed at `now`.
///
/// # Errors
/// Returns an error if the URL cannot be signed.
pub(super) async fn instructions(app: &App, scan: &ScanRow, now: Timestamp) -> ApiResult<UploadInstructions> {
    let through_api = |url, url_template, headers| UploadInstructions {
        kind: scan.input.kind,
        method: "PUT".to_owned(),
        url,
        url_template,
        headers,
        expires_at: scan.deadline_at.0,
    };
    let Some(video) = &scan.input.video else {
        let template = app.url(&format!("/scans/{}/frames/{{index}}", scan.id.as_str()));
        return Ok(through_api(None, Some(template), BTreeMap::new()));
    };
    let key = layout::upload(&scan.id, UploadSlot::Video);
    let signed = app.objects().presign_put(&key, &video.content_type, video.content_length, URL_TTL).await?;
    Ok(match signed {
        Some(signed) => UploadInstructions {
            expires_at: now.plus(URL_TTL).min(scan.deadline_at.0),
            ..through_api(Some(signed.url), None, signed.headers)
        },
        None => {
            through_api(Some(app.url(&format!("/scans/{}/video", scan.id.as_str()))), None, headers(video))
        }
    })
}

fn headers(video: &VideoInput) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("Content-Type".to_owned(), video.content_type.clone()),
        ("Content-Length".to_owned(), video.content_length.to_string()),
    ])
}

/// Returns the missing uploads. Clients may upload videos directly to storage, so a video found
/// there is recorded first.
///
/// # Errors
/// Returns an error if the database or storage is unavailable.
pub(super) async fn reconcile(app: &App, scan: &ScanRow, now: Timestamp) -> ApiResult<Vec<UploadSlot>> {
    let tenant = scan.tenant();
    let mut recorded = uploads::list(app.db(), &tenant, &scan.id).await?;
    if scan.input.kind == InputKind::Video
        && app.objects().has_public_address()
        && let Some(video) = &scan.input.video
        && let Some(found) = uploaded_video(app, scan, video, &recorded).await?
    {
        app.db().write(async |txn| uploads::put(&txn, &tenant, &scan.id, &found, now).await).await?;
        recorded = uploads::list(app.db(), &tenant, &scan.id).await?;
    }
    Ok(uploads::missing(&scan.input, &recorded))
}

/// Returns the video in storage, if it is the declared one and not recorded yet.
async fn uploaded_video(
    app: &App,
    scan: &ScanRow,
    video: &VideoInput,
    recorded: &[UploadRow],
) -> ApiResult<Option<NewUpload>> {
    let object_key = layout::upload(&scan.id, UploadSlot::Video);
    let Some(found) = app.with_storage(app.objects().head(&object_key)).await? else { return Ok(None) };
    let is_recorded = recorded.iter().any(|row| row.slot.0 == UploadSlot::Video && row.etag == found.etag);
    // The URL signs type and length: an object with others was not uploaded through it.
    if is_recorded || found.bytes != video.content_length || found.content_type != video.content_type {
        return Ok(None);
    }
    Ok(Some(NewUpload {
        slot: UploadSlot::Video,
        object_key,
        content_type: found.content_type,
        bytes: i64::try_from(found.bytes).map_err(ApiError::internal)?,
        etag: found.etag,
        sha256: None,
    }))
}
