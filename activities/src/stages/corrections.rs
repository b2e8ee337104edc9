//! Corrections of the previous document that hold for a new one.

use domain::{
    CorrectionId, ScanId,
    document::{Correction, NewCorrection, SpaceDocument},
    layout,
};
use entities::{ScanRow, corrections, documents};
use knowledge::{corrections::kept, diff::Scanned};
use registration::WalkViews;
use temporalio_sdk::activities::ActivityError;

use crate::{
    Dependencies,
    error::{database, retry, storage},
};

/// Corrections of the previous document for the document of a scan, each with the id of the earlier
/// one. Empty if the previous document has none.
///
/// # Errors
/// Returns an error if the database or storage is unavailable.
pub(super) async fn of_previous(
    deps: &Dependencies,
    scan: &ScanRow,
    document: &SpaceDocument,
) -> Result<Vec<(CorrectionId, NewCorrection)>, ActivityError> {
    let tenant = scan.tenant();
    let previous = documents::latest(&deps.db, &tenant, &scan.space_id).await.map_err(database)?;
    let Some(previous) = previous.filter(|row| row.scan_id.0 != scan.id.0) else { return Ok(Vec::new()) };
    let rows = corrections::of_scan(&deps.db, &tenant, &previous.scan_id).await.map_err(database)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = match deps.store.get_bytes(&previous.object_key, layout::MAX_DOCUMENT_BYTES).await {
        Ok(bytes) => bytes,
        // The space is being deleted.
        Err(media::objects::Error::NotFound { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(storage(error)),
    };
    let (old_views, new_views) = (views(deps, &previous.scan_id).await?, views(deps, &scan.id).await?);
    let document = document.clone();
    // The comparison takes CPU time.
    let comparing = tokio::task::spawn_blocking(move || {
        let before: SpaceDocument = serde_json::from_slice(&bytes)?;
        let all: Vec<Correction> = rows.iter().map(corrections::Model::correction).collect();
        let before = Scanned { document: &before, views: old_views.as_ref() };
        let after = Scanned { document: &document, views: new_views.as_ref() };
        let kept = kept(before, after, &all).into_iter();
        Ok::<_, serde_json::Error>(kept.map(|(at, change)| (all[at].id.clone(), change)).collect())
    });
    comparing.await.map_err(|e| retry("CORRECTIONS", e))?.map_err(|e| retry("CORRECTIONS", e))
}

/// Reads the views of a scan; `None` if it has none that can be read.
async fn views(deps: &Dependencies, scan: &ScanId) -> Result<Option<WalkViews>, ActivityError> {
    match deps.store.get_bytes(&layout::views(scan), layout::MAX_VIEWS_BYTES).await {
        Ok(bytes) => Ok(WalkViews::from_bytes(&bytes).ok()),
        Err(media::objects::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(storage(error)),
    }
}
