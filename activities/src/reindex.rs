//! Rebuilds the search indexes of all spaces from the documents in object storage.

use std::sync::Arc;

use domain::{document::SpaceDocument, language::Embedder, layout};
use entities::{Db, DocumentRow};
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
    search::reindex(db, embedder, async |row: &DocumentRow| load(store, row).await).await
}

async fn load(store: &ObjectStore, row: &DocumentRow) -> Result<SpaceDocument, String> {
    let bytes = store.get_bytes(&row.object_key, layout::MAX_DOCUMENT_BYTES).await;
    serde_json::from_slice(&bytes.map_err(|e| e.to_string())?).map_err(|e| e.to_string())
}
