//! Builds the index of a scanned space, and rebuilds the indexes of all spaces.

use std::{collections::HashSet, sync::Arc};

use domain::{document::SpaceDocument, language::Embedder, search::Index};
use entities::{Db, DocumentRow, Reader, SpaceRow, documents, search, spaces};
use serde::Serialize;

use crate::{embedding::embed_passages, error::Result, index::build_index, record::SpaceRecord};

/// Number of spaces read in one query.
const PAGE: u64 = 100;

/// Error of building the index of one space.
#[derive(Debug, thiserror::Error)]
#[error("cannot build the search index: {0}")]
pub struct IndexError(#[from] tokio::task::JoinError);

/// Result of a reindex.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReindexReport {
    /// Number of spaces that were indexed again.
    pub indexed: u64,
    /// Number of spaces that have no embeddings although a model is configured. They are found by
    /// words alone.
    pub without_vectors: u64,
    /// Number of spaces that have no document, or got a newer one during the reindex.
    pub skipped: u64,
    /// Spaces whose document cannot be read, with the error.
    pub failed: Vec<String>,
}

/// Builds the index of a space on a blocking thread: documents have thousands of words.
///
/// # Errors
/// Returns an error if the thread panics.
pub async fn index_space(space: &SpaceRow, document: SpaceDocument) -> Result<Index, IndexError> {
    let space = space.clone();
    let build = move || build_index(&SpaceRecord::from(&space), &document);
    Ok(tokio::task::spawn_blocking(build).await?)
}

/// Rebuilds the index of every space from its newest document, with embeddings if a model is
/// configured.
///
/// `load` reads a document from storage. A document that cannot be read is reported, and the
/// reindex continues. Idempotent, and safe while the service is running.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn reindex(
    db: &Db,
    embedder: Option<&Arc<dyn Embedder>>,
    load: impl AsyncFn(&DocumentRow) -> Result<SpaceDocument, String>,
) -> Result<ReindexReport> {
    let mut report = ReindexReport::default();
    let mut tenants = HashSet::new();
    let mut last = None;
    loop {
        let page = spaces::system::after(db, last.as_ref(), PAGE).await?;
        let Some(end) = page.last() else { break };
        last = Some(end.id.0.clone());
        for space in &page {
            tenants.insert(space.tenant());
            match reindex_space(db, embedder, &load, space).await? {
                Ok(Outcome::Indexed { has_embeddings }) => {
                    report.indexed += 1;
                    report.without_vectors += u64::from(embedder.is_some() && !has_embeddings);
                }
                Ok(Outcome::Skipped) => report.skipped += 1,
                Err(error) => report.failed.push(format!("{}: {error}", space.id.as_str())),
            }
        }
    }
    for tenant in &tenants {
        db.write(async |txn| search::document_frequencies::recount(&txn, tenant).await).await?;
    }
    Ok(report)
}

/// Outcome of reindexing one space.
enum Outcome {
    Indexed { has_embeddings: bool },
    Skipped,
}

/// Rebuilds the index of one space. The inner error is the reason why its document cannot be
/// indexed.
async fn reindex_space(
    db: &Db,
    embedder: Option<&Arc<dyn Embedder>>,
    load: &impl AsyncFn(&DocumentRow) -> Result<SpaceDocument, String>,
    space: &SpaceRow,
) -> Result<Result<Outcome, String>> {
    let Some(row) = documents::latest(db, &space.tenant(), &space.id).await? else {
        return Ok(Ok(Outcome::Skipped));
    };
    let document = match load(&row).await {
        Ok(document) => document,
        Err(error) => return Ok(Err(error)),
    };
    let index = match index_space(space, document).await {
        Ok(index) => index,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let (embeddings, _) = embed_passages(embedder, &index).await;
    let is_stored = db.write(async |txn| -> entities::Result<bool> {
        // The lock keeps the space and its newest document unchanged until the rows are written.
        if !spaces::system::lock_for_update(&txn, &space.id).await? || !is_newest(&txn, &row).await? {
            return Ok(false);
        }
        // The request that changed the space has stored its new index.
        let current = spaces::system::find(&txn, &space.id).await?;
        if current.is_none_or(|current| current.updated_at != space.updated_at) {
            return Ok(false);
        }
        search::put(&txn, &row.tenant(), &row.space_id, &row.scan_id, &index, embeddings.as_ref()).await?;
        Ok(true)
    });
    if !is_stored.await? {
        return Ok(Ok(Outcome::Skipped));
    }
    Ok(Ok(Outcome::Indexed { has_embeddings: embeddings.is_some() }))
}

async fn is_newest(reader: &impl Reader, row: &DocumentRow) -> entities::Result<bool> {
    let newest = documents::latest(reader, &row.tenant(), &row.space_id).await?;
    Ok(newest.is_some_and(|newest| newest.scan_id == row.scan_id))
}
