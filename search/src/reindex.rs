//! By what spaces are found: made when a scan completes, and again for documents that were written before.

use std::{collections::HashSet, sync::Arc};

use domain::{
    document::SpaceDocument,
    language::{Embedder, Haste, NoAnswer, Used},
    search::{Index, Meaning},
};
use entities::{Db, DocumentRow, Reader, SpaceRow, documents, search, spaces};
use knowledge::search::{Record, index};
use media::ObjectStore;
use serde::Serialize;

use crate::stages::MAX_DOCUMENT;

/// Spaces that are read at a time.
const PAGE: u64 = 100;

/// What became of making the rows again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Spaces whose rows are new.
    pub indexed: u64,
    /// Spaces whose rows have no vectors though a model is configured: they are found by words alone.
    pub without_vectors: u64,
    /// Spaces that have no document, or got a newer one meanwhile.
    pub skipped: u64,
    /// Spaces whose document cannot be read, with why.
    pub failed: Vec<String>,
}

/// What keeps rows from being made again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refuses.
    #[error(transparent)]
    Database(#[from] entities::Error),
}

/// What a space is found by.
pub(crate) async fn index_of(
    space: &SpaceRow,
    document: SpaceDocument,
) -> Result<Index, tokio::task::JoinError> {
    let space = space.clone();
    // Work for a processor: thousands of words.
    tokio::task::spawn_blocking(move || {
        let record = Record {
            id: space.id.as_str(),
            name: &space.name,
            space_type: &space.space_type,
            description: space.description.as_deref(),
            external_id: space.external_id.as_deref(),
        };
        index(&record, &document)
    })
    .await
}

/// What a space is about, as vectors; none where no model is configured, or the model does not answer: the space is
/// found by words all the same. Also what was used.
pub(crate) async fn meaning_of(
    embedder: Option<&Arc<dyn Embedder>>,
    index: &Index,
) -> (Option<Meaning>, Used) {
    let Some(embedder) = embedder.cloned() else { return (None, Used::default()) };
    let texts: Vec<String> = index.passages.iter().map(|passage| passage.text.clone()).collect();
    let asking = tokio::task::spawn_blocking(move || {
        let model = embedder.model().to_owned();
        embedder.embed(&texts, Haste::Nobody).map(|(vectors, used)| (Meaning { model, vectors }, used))
    });
    let lost = |e: tokio::task::JoinError| Err(NoAnswer { code: "INTERNAL", reason: e.to_string() });
    match asking.await.unwrap_or_else(lost) {
        Ok((meaning, used)) => (Some(meaning), used),
        Err(NoAnswer { code, reason }) => {
            tracing::warn!(code, reason, "no vectors: the space is found by words alone");
            (None, Used::default())
        }
    }
}

/// Makes the rows of every space again, from its newest document, and their vectors where a model is configured. May
/// run any number of times, beside a service that runs; a document that cannot be read is reported, and the rest goes
/// on.
///
/// # Errors
/// When the database refuses.
pub async fn reindex(
    db: &Db,
    store: &ObjectStore,
    embedder: Option<&Arc<dyn Embedder>>,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut tenants = HashSet::new();
    let mut last = None;
    loop {
        let page = spaces::system::after(db, last.as_ref(), PAGE).await?;
        let Some(end) = page.last() else { break };
        last = Some(end.id.0.clone());
        for space in &page {
            tenants.insert(space.tenant());
            match one(db, store, embedder, space).await? {
                Ok(Outcome::Indexed { vectors }) => {
                    report.indexed += 1;
                    report.without_vectors += u64::from(embedder.is_some() && !vectors);
                }
                Ok(Outcome::Skipped) => report.skipped += 1,
                Err(why) => report.failed.push(format!("{}: {why}", space.id.as_str())),
            }
        }
    }
    for tenant in &tenants {
        db.write(async |txn| search::frequencies::recount(&txn, tenant).await).await?;
    }
    Ok(report)
}

/// What became of one space.
enum Outcome {
    Indexed { vectors: bool },
    Skipped,
}

/// Makes the rows of a space, or says why they cannot be.
async fn one(
    db: &Db,
    store: &ObjectStore,
    embedder: Option<&Arc<dyn Embedder>>,
    space: &SpaceRow,
) -> Result<Result<Outcome, String>, Error> {
    let Some(row) = documents::latest(db, &space.tenant(), &space.id).await? else {
        return Ok(Ok(Outcome::Skipped));
    };
    let made = match made(store, space, &row).await {
        Ok(made) => made,
        Err(why) => return Ok(Err(why)),
    };
    let (meaning, _) = meaning_of(embedder, &made).await;
    let put = db.write(async |txn| -> entities::Result<bool> {
        // Keeps the space, and which document of it is the newest, as they are.
        if !spaces::system::hold_for_change(&txn, &space.id).await? || !is_newest(&txn, &row).await? {
            return Ok(false);
        }
        search::put(&txn, &row.tenant(), &row.space_id, &row.scan_id, &made, meaning.as_ref()).await?;
        Ok(true)
    });
    let put = put.await?;
    Ok(Ok(if put { Outcome::Indexed { vectors: meaning.is_some() } } else { Outcome::Skipped }))
}

async fn made(store: &ObjectStore, space: &SpaceRow, row: &DocumentRow) -> Result<Index, String> {
    let bytes = store.get_bytes(&row.object_key, MAX_DOCUMENT).await.map_err(|e| e.to_string())?;
    let document = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    index_of(space, document).await.map_err(|e| e.to_string())
}

async fn is_newest(reader: &impl Reader, row: &DocumentRow) -> entities::Result<bool> {
    let newest = documents::latest(reader, &row.tenant(), &row.space_id).await?;
    Ok(newest.is_some_and(|newest| newest.scan_id == row.scan_id))
}
