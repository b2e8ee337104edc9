//! What stages pass to each other, as JSON in storage.

use domain::{ScanId, layout};
use serde::{Serialize, de::DeserializeOwned};
use temporalio_sdk::activities::ActivityError;

use crate::{
    Parts,
    error::{retry, storage},
};

/// Most bytes of one artifact: an hour of video with its features is far below.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// Name of what ingesting found.
pub(super) const INGESTED: &str = "ingested";
/// Name of what was heard.
pub(super) const SOUNDS: &str = "sounds";
/// Name of what fusing joined.
pub(super) const FUSED: &str = "fused";

/// Name of what one batch of frames showed.
pub(super) fn batch(number: u32) -> String {
    format!("observed-{number:05}")
}

/// Stores an artifact in the place of what an earlier run stored.
pub(super) async fn put<T: Serialize>(
    parts: &Parts,
    scan: &ScanId,
    name: &str,
    artifact: &T,
) -> Result<(), ActivityError> {
    let bytes = serde_json::to_vec(artifact).map_err(|e| retry("ARTIFACT", e))?;
    let key = layout::artifact(scan, name);
    parts.store.put_bytes(&key, "application/json", bytes).await.map_err(storage)?;
    Ok(())
}

/// Reads an artifact.
pub(super) async fn get<T: DeserializeOwned>(
    parts: &Parts,
    scan: &ScanId,
    name: &str,
) -> Result<T, ActivityError> {
    let bytes = parts.store.get_bytes(&layout::artifact(scan, name), MAX_BYTES).await.map_err(storage)?;
    serde_json::from_slice(&bytes).map_err(|e| retry("ARTIFACT", e))
}
