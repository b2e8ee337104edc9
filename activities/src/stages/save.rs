//! The stage `save`: records the document as the newest revision of its space, updates the search
//! index, completes the scan, keeps the corrections of the previous document and writes the event.

use domain::{
    EventId, FailureCode, ScanId, ScanStatus, Timestamp,
    document::{Correction, SpaceDocument},
    language::ModelUsage,
    layout,
};
use entities::{
    ScanRow, documents, scans,
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
    let space = spaces::system::find(&deps.db, &scan.space_id).await.map_err(database)?;
    let space = space.ok_or_else(|| {
        give_up(FailureCode::Internal, format!("the space {} no longer exists", scan.space_id.as_str()))
    })?;
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
    let index = index_space(&space, document).await.map_err(|e| retry("INDEX", e))?;
    let embedder = deps.models.embedder();
    let (embeddings, used) = embed_passages(embedder.as_ref(), &index).await;
    if used.requests > 0 {
        record_usage(deps, id, used).await?;
    }
    let outcome = deps
        .db
        .write(async |txn| {
            let outcome = scans::complete(&txn, &completion, now).await?;
            if matches!(outcome, CompleteOutcome::Completed { .. }) {
                let embeddings = embeddings.as_ref();
                let tenant = scan.tenant();
                entities::search::put(&txn, &tenant, &scan.space_id, id, &index, embeddings).await?;
                if let Some(row) = documents::find_by_scan(&txn, &tenant, id).await? {
                    for (from, change) in &corrections {
                        entities::corrections::put(&txn, &row, change, Some(from), now).await?;
                    }
                }
            }
            Ok::<_, entities::Error>(outcome)
        })
        .await
        .map_err(database)?;
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
