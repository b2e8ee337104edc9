//! Reads stored Space Documents with their corrections, and signs the URLs of their frames.
//!
//! A document may have 64 MB: it is fetched only with a slot of the pool for documents
//! ([`App::document_pool`]), and parsed, used and rendered on a thread of that pool.

use std::time::Duration;

use domain::{
    Timestamp,
    document::{Correction, SpaceDocument},
    layout::{self, MAX_DOCUMENT_BYTES, MAX_VIEWS_BYTES},
    media::UploadSlot,
};
use entities::{DocumentRow, corrections, scans};
use media::evidence;
use registration::WalkViews;
use serde_json::{Value, json};

use crate::{
    App,
    blocking::Slot,
    contract::examples::{FRAME_KEY, evidence, frame_url},
    http::error::{ApiError, ApiResult},
};

/// Reads a document with its corrections as JSON, with signed URLs of its frames and of a kept video.
///
/// # Errors
/// Returns an error if the database or storage is unavailable, or storage has no such object.
pub(crate) async fn read(app: &App, slot: &Slot, row: &DocumentRow) -> ApiResult<Value> {
    let corrections = corrections(app, row).await?;
    let video = kept_video(app, row).await?;
    let bytes = bytes(app, row).await?;
    let app = app.clone();
    let signed = slot.run(move || {
        let mut document: Value = if corrections.is_empty() {
            serde_json::from_slice(&bytes)?
        } else {
            serde_json::to_value(parse(&bytes, &corrections)?)?
        };
        let now = Timestamp::now();
        for medium in document["media"].as_array_mut().into_iter().flatten() {
            if let Some(key) = video.as_ref().filter(|_| medium["kind"] == "video") {
                medium["url"] = Value::String(signed_url(&app, key, now));
            }
        }
        for frame in document["frames"].as_array_mut().into_iter().flatten() {
            if let Some(key) = frame["key"].as_str() {
                frame["url"] = Value::String(signed_url(&app, key, now));
            }
        }
        Ok::<_, serde_json::Error>(document)
    });
    signed.await?.map_err(ApiError::internal)
}

/// Returns the storage key of the video of a scan, while it is kept.
async fn kept_video(app: &App, row: &DocumentRow) -> ApiResult<Option<String>> {
    let scan = scans::find(app.db(), &row.tenant(), &row.scan_id).await?;
    let kept = scan.is_some_and(|scan| scan.media_deleted_at.is_none());
    Ok(kept.then(|| layout::source(&row.scan_id, UploadSlot::Video)))
}

/// Reads a document with its corrections, without URLs.
///
/// # Errors
/// Returns an error if the database or storage is unavailable, or storage has no such object.
pub(crate) async fn read_typed(app: &App, slot: &Slot, row: &DocumentRow) -> ApiResult<SpaceDocument> {
    read_corrected(app, slot, row, corrections(app, row).await?).await
}

/// Reads a document as the scan wrote it, and applies these corrections.
///
/// # Errors
/// Returns an error if storage is unavailable or has no such object.
pub(crate) async fn read_corrected(
    app: &App,
    slot: &Slot,
    row: &DocumentRow,
    corrections: Vec<Correction>,
) -> ApiResult<SpaceDocument> {
    let bytes = bytes(app, row).await?;
    slot.run(move || parse(&bytes, &corrections)).await?.map_err(ApiError::internal)
}

fn parse(bytes: &[u8], corrections: &[Correction]) -> serde_json::Result<SpaceDocument> {
    let mut document: SpaceDocument = serde_json::from_slice(bytes)?;
    document.correct(corrections);
    Ok(document)
}

async fn bytes(app: &App, row: &DocumentRow) -> ApiResult<Vec<u8>> {
    Ok(app.with_storage(app.objects().get_bytes(&row.object_key, MAX_DOCUMENT_BYTES)).await?.into())
}

async fn corrections(app: &App, row: &DocumentRow) -> ApiResult<Vec<Correction>> {
    let rows = corrections::of_scan(app.db(), &row.tenant(), &row.scan_id).await?;
    Ok(rows.iter().map(corrections::Model::correction).collect())
}

/// Reads the stored views of a scan. Returns `None` for a scan of an older version, which stored none,
/// and for views that cannot be read.
///
/// # Errors
/// Returns an error if storage is unavailable.
pub(crate) async fn views(app: &App, slot: &Slot, row: &DocumentRow) -> ApiResult<Option<WalkViews>> {
    let key = layout::views(&row.scan_id);
    let reading = async {
        match app.objects().get_bytes(&key, MAX_VIEWS_BYTES).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(media::objects::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let Some(bytes) = app.with_storage(reading).await? else { return Ok(None) };
    match slot.run(move || WalkViews::from_bytes(&bytes)).await? {
        Ok(views) => Ok(Some(views)),
        Err(error) => {
            tracing::warn!(scan = %row.scan_id.0, %error, "the stored views are left out of the comparison");
            Ok(None)
        }
    }
}

/// Returns a URL that gives anyone access to one object for an hour.
pub(crate) fn signed_url(app: &App, key: &str, now: Timestamp) -> String {
    signed_url_for(app, key, now, evidence::DEFAULT_TTL)
}

/// Returns a URL that gives anyone access to one object for a time.
pub(crate) fn signed_url_for(app: &App, key: &str, now: Timestamp, lifetime: Duration) -> String {
    let query = evidence::sign(app.signing_secrets().current(), key, now, lifetime);
    format!("{}{}?{query}", app.settings().public_url, evidence::evidence_path(key))
}

/// Example of a document: one frame, in which a sign was read.
pub(super) fn example() -> Value {
    json!({
        "schema_version": "1.0", "kind": "video", "language": "en",
        "media": [{ "id": "med_video", "kind": "video", "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "bytes": 18_350_112,
            "width": 1920, "height": 1080, "duration_ms": 42_000, "fps": 30.0, "has_audio": true }],
        "frames": [{ "id": "frm_00001", "media_id": "med_video", "t_ms": 1200, "width": 1920, "height": 1080,
            "sharpness": 0.82, "exposure": 0.51, "hash": "c3d2e1f0a5b49687", "kept_because": "sharpest",
            "key": FRAME_KEY,
            "url": frame_url() }],
        "zones": [], "openings": [], "objects": [],
        "texts": [{ "id": "txt_1", "raw": "MEETING ROOM 2", "normalized": "meeting room 2", "kind": "sign",
            "claim": { "id": "clm_1", "value": "MEETING ROOM 2", "confidence": 0.94, "basis": "read",
                "run_id": "run_ocr",
                "evidence": [evidence()] } }],
        "narration": [], "measurements": [], "relations": [],
        "summary": [{ "text": "A sign reads “MEETING ROOM 2”.", "claim_ids": ["clm_1"] }],
        "quality": { "blurred": 0.04, "dark": 0.0, "uncovered": [], "warnings": [] },
        "runs": [{ "id": "run_ocr", "task": "ocr", "provider": "local", "model": "text-reader",
            "version": "1", "parameters": {} }],
    })
}
