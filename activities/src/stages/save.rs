//! The stage `save`: records the document as the newest revision of its space, updates the search
//! index, completes the scan, keeps the corrections of the previous document and writes the event.

use domain::{
    CorrectionId, EventId, FailureCode, ScanId, ScanStatus, Timestamp,
    document::{Correction, NewCorrection, SpaceDocument},
    language::ModelUsage,
    layout,
    search::{Embeddings, Index},
};
use entities::{
    ScanRow, SpaceRow, documents, scans,
    scans::{CompleteOutcome, Completion},
    spaces,
};
use perception::models::endpoint::{EMBEDDINGS_RUN, Usage};
use search::{embed_passages, index_space};
use sha2::{Digest, Sha256};
use temporalio_sdk::activities::ActivityError;
use workflows::contract::SaveOutput;

use super::corrections;
use crate::{
    Dependencies,
    error::{database, give_up, retry, scan_ended, storage},
    failpoint,
};

pub(super) async fn run(deps: &Dependencies, scan: &ScanRow) -> Result<SaveOutput, ActivityError> {
    let id = &scan.id.0;
    let key = layout::document(id);
    let bytes = deps.store.get_bytes(&key, layout::MAX_DOCUMENT_BYTES).await.map_err(storage)?;
    let completion = Completion {
        scan_id: id.clone(),
        object_key: key,
        sha256: hex::encode(Sha256::digest(&bytes)),
        bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
    };
    let mut document: SpaceDocument = serde_json::from_slice(&bytes).map_err(|e| retry("DOCUMENT", e))?;
    let corrections = corrections::of_previous(deps, scan, &document).await?;
    let now = Timestamp::now();
    // The index has the corrected document, as readers see it. Only the ids of the rows differ.
    let applied = corrections.iter().map(|(id, change)| Correction {
        id: id.clone(),
        change: change.clone(),
        created_at: now,
    });
    document.correct(&applied.collect::<Vec<_>>());
    let outcome = loop {
        let (space, indexed) = index(deps, scan, &document).await?;
        failpoint::trigger("save_indexed", id.as_str()).await?;
        if let Some(outcome) = complete(deps, &completion, &space, &indexed, &corrections, now).await? {
            break outcome;
        }
        tracing::info!(scan_id = %id, "the space changed while its index was built; it is built again");
    };
    match outcome {
        CompleteOutcome::Completed { scan } | CompleteOutcome::AlreadyComplete { scan } => Ok(SaveOutput {
            revision: scan.document_revision.unwrap_or(1),
            event_id: EventId::scan_completed(id),
        }),
        // An operator or the reconciler has failed and refunded the scan in the meantime.
        CompleteOutcome::NotProcessing { status: ScanStatus::Failed } => Err(scan_ended()),
        other => Err(give_up(FailureCode::Internal, format!("the scan cannot be completed: {other:?}"))),
    }
}

/// The search index of a document, with its embeddings.
type Indexed = (Index, Option<Embeddings>);

/// Builds the search index of the document. Returns the space as the index has it.
async fn index(
    deps: &Dependencies,
    scan: &ScanRow,
    document: &SpaceDocument,
) -> Result<(SpaceRow, Indexed), ActivityError> {
    let space = spaces::system::find(&deps.db, &scan.space_id).await.map_err(database)?;
    let space = space.ok_or_else(|| {
        give_up(FailureCode::Internal, format!("the space {} no longer exists", scan.space_id.as_str()))
    })?;
    let index = index_space(&space, document.clone()).await.map_err(|e| retry("INDEX", e))?;
    let (embeddings, used) = embed_passages(deps.models.embedder().as_ref(), &index).await;
    if used.requests > 0 {
        record_usage(deps, &scan.id.0, used).await?;
    }
    Ok((space, (index, embeddings)))
}

/// Completes the scan and stores the index of its document, in one transaction. Returns `None`, and
/// changes nothing, if the space has changed since the index was built.
async fn complete(
    deps: &Dependencies,
    completion: &Completion,
    space: &SpaceRow,
    (index, embeddings): &Indexed,
    corrections: &[(CorrectionId, NewCorrection)],
    now: Timestamp,
) -> Result<Option<CompleteOutcome>, ActivityError> {
    let (id, tenant) = (&completion.scan_id, space.tenant());
    let completing = deps.db.write(async |txn| {
        // The lock keeps the space unchanged until its index is written.
        spaces::system::lock_for_update(&txn, &space.id).await?;
        let current = spaces::system::find(&txn, &space.id).await?;
        if current.is_some_and(|current| current.updated_at != space.updated_at) {
            return Ok(None);
        }
        let outcome = scans::complete(&txn, completion, now).await?;
        if matches!(outcome, CompleteOutcome::Completed { .. }) {
            entities::search::put(&txn, &tenant, &space.id, id, index, embeddings.as_ref()).await?;
            if let Some(row) = documents::find_by_scan(&txn, &tenant, id).await? {
                for (from, change) in corrections {
                    entities::corrections::put(&txn, &row, change, Some(from), now).await?;
                }
            }
        }
        Ok::<_, entities::Error>(Some(outcome))
    });
    completing.await.map_err(database)
}

/// Adds the cost of the embeddings to the usage of the scan. A repeat replaces the earlier entry.
async fn record_usage(deps: &Dependencies, id: &ScanId, used: ModelUsage) -> Result<(), ActivityError> {
    let key = layout::usage(id);
    let mut all: Vec<Usage> = match deps.store.get_bytes(&key, layout::MAX_DOCUMENT_BYTES).await {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| retry("USAGE", e))?,
        Err(media::objects::Error::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(storage(error)),
    };
    all.retain(|usage| usage.run_id != EMBEDDINGS_RUN);
    let ModelUsage { requests, prompt_tokens, completion_tokens, microcents } = used;
    tracing::info!(scan_id = %id, requests, prompt_tokens, microcents, "computed embeddings");
    let run_id = EMBEDDINGS_RUN.to_owned();
    all.push(Usage { run_id, requests, prompt_tokens, completion_tokens, microcents });
    let bytes = serde_json::to_vec(&all).map_err(|e| retry("USAGE", e))?;
    deps.store.put_bytes(&key, "application/json", bytes).await.map_err(storage)?;
    Ok(())
}
