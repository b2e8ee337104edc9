//! Artifacts: the data that stages pass to each other, as JSON in storage.

use domain::{ScanId, layout};
use serde::{Serialize, de::DeserializeOwned};
use temporalio_sdk::activities::ActivityError;

use crate::{
    Dependencies,
    error::{retry, storage},
};

/// Maximum size of one artifact, in bytes. An hour of video stays far below.
const MAX_ARTIFACT_BYTES: u64 = 512 * 1024 * 1024;

/// Name of the artifact of `ingest`.
pub(super) const INGESTED: &str = "ingested";
/// Name of the artifact of `listen`.
pub(super) const TRANSCRIPT: &str = "sounds";
/// Name of the artifact of `fuse`.
pub(super) const FUSED: &str = "fused";

/// Returns the name of the artifact of `observe_frames` for one batch.
pub(super) fn batch(number: u32) -> String {
    format!("observed-{number:05}")
}

/// Stores an artifact. Overwrites that of an earlier run.
pub(super) async fn put<T: Serialize>(
    deps: &Dependencies,
    scan: &ScanId,
    name: &str,
    artifact: &T,
) -> Result<(), ActivityError> {
    let bytes = serde_json::to_vec(artifact).map_err(|e| retry("ARTIFACT", e))?;
    let key = layout::artifact(scan, name);
    deps.store.put_bytes(&key, "application/json", bytes).await.map_err(storage)?;
    Ok(())
}

/// Reads an artifact.
pub(super) async fn get<T: DeserializeOwned>(
    deps: &Dependencies,
    scan: &ScanId,
    name: &str,
) -> Result<T, ActivityError> {
    let bytes =
        deps.store.get_bytes(&layout::artifact(scan, name), MAX_ARTIFACT_BYTES).await.map_err(storage)?;
    serde_json::from_slice(&bytes).map_err(|e| retry("ARTIFACT", e))
}
