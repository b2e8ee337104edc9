//! Rebuilds the search indexes of all spaces from the documents in object storage.

use std::sync::Arc;

use domain::{document::SpaceDocument, language::Embedder, layout};
use entities::{Db, DocumentRow, corrections};
use media::ObjectStore;
use search::ReindexReport;

/// Rebuilds the search index of every space; see [`search::reindex`].
///
/// # Errors
/// Returns an error if the database is unavailable. Documents that cannot be read are listed in the
/// report.
pub async fn reindex(
    db: &Db,
    store: &ObjectStore,
    embedder: Option<&Arc<dyn Embedder>>,
) -> search::Result<ReindexReport> {
    search::reindex(db, embedder, async |row: &DocumentRow| load(db, store, row).await).await
}

/// Reads a document with its corrections.
async fn load(db: &Db, store: &ObjectStore, row: &DocumentRow) -> Result<SpaceDocument, String> {
    let bytes = store.get_bytes(&row.object_key, layout::MAX_DOCUMENT_BYTES).await;
    let mut document: SpaceDocument =
        serde_json::from_slice(&bytes.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
    let rows = corrections::of_scan(db, &row.tenant(), &row.scan_id).await.map_err(|e| e.to_string())?;
    document.correct(&rows.iter().map(corrections::Model::correction).collect::<Vec<_>>());
    Ok(document)
}
