//! Reading stored Space Documents: signed addresses of frames are put in as they are read.

use domain::{Timestamp, document::SpaceDocument};
use entities::DocumentRow;
use media::evidence;
use serde_json::Value;

use crate::{
    App,
    http::error::{ApiError, ApiResult},
};

/// Most bytes of a document. The pipeline keeps far below.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A stored document, its frames with signed addresses.
///
/// # Errors
/// When storage cannot be reached, or does not hold the document.
pub(crate) async fn read(app: &App, row: &DocumentRow) -> ApiResult<Value> {
    let bytes = app.objects().get_bytes(&row.object_key, MAX_BYTES).await?;
    let mut document: Value = serde_json::from_slice(&bytes).map_err(ApiError::internal)?;
    let now = Timestamp::now();
    for frame in document["frames"].as_array_mut().into_iter().flatten() {
        if let Some(key) = frame["key"].as_str() {
            frame["url"] = Value::String(url(app, key, now));
        }
    }
    Ok(document)
}

/// A stored document as its type, without addresses.
///
/// # Errors
/// As [`read`].
pub(crate) async fn typed(app: &App, row: &DocumentRow) -> ApiResult<SpaceDocument> {
    let bytes = app.objects().get_bytes(&row.object_key, MAX_BYTES).await?;
    serde_json::from_slice(&bytes).map_err(ApiError::internal)
}

/// An address under which one object can be read for an hour, by whoever has it.
pub(crate) fn url(app: &App, key: &str, now: Timestamp) -> String {
    let query = evidence::sign(app.signing_secret(), key, now, evidence::DEFAULT_TTL);
    format!("{}{}?{query}", app.settings().public_url, evidence::evidence_path(key))
}
