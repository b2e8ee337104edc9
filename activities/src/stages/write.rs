//! Fusing and enriching: quick, and pure but for what they read and write in storage.

use domain::{ScanId, layout};
use entities::ScanRow;
use futures::{StreamExt, TryStreamExt};
use perception::{
    enrich::{self, DocumentContext},
    fuse::{self, Fused},
    ingest::Ingested,
    observe::{self, ObservedBatch, Transcript},
};
use sha2::{Digest, Sha256};
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{EnrichOutput, FuseOutput};

use super::artifacts;
use crate::{
    Parts,
    error::{retry, storage},
    watch::Watched,
};

/// Most bytes of a document.
pub(crate) const MAX_DOCUMENT: u64 = 64 * 1024 * 1024;
/// Batches read at once.
const AT_ONCE: usize = 4;

pub(super) async fn fuse(
    parts: &Parts,
    ctx: &ActivityContext,
    scan: &ScanRow,
    batches: u32,
) -> Result<FuseOutput, ActivityError> {
    let id = &scan.id.0;
    let watched = Watched { parts, context: ctx, scan: id, stage: None };
    let ingested: Ingested = artifacts::get(parts, id, artifacts::INGESTED).await?;
    let observed = watched.alive(observed(parts, id, batches)).await??;
    let sounds = sounds(parts, scan, &ingested).await?;
    let settings = parts.perception.clone();
    let fused =
        watched.blocking(move |_, _| Ok(fuse::fuse(&ingested, &observed, &sounds, &settings))).await?;
    artifacts::put(parts, id, artifacts::FUSED, &fused).await?;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(FuseOutput { zones: count(fused.zones.len()), texts: count(fused.texts.len()) })
}

/// What all batches of frames showed, in order.
async fn observed(parts: &Parts, id: &ScanId, batches: u32) -> Result<Vec<ObservedBatch>, ActivityError> {
    let read =
        (0..batches).map(|number| async move { artifacts::get(parts, id, &artifacts::batch(number)).await });
    futures::stream::iter(read).buffered(AT_ONCE).try_collect().await
}

/// What was heard, or what the client says was said.
async fn sounds(parts: &Parts, scan: &ScanRow, ingested: &Ingested) -> Result<Transcript, ActivityError> {
    let duration = ingested.media.first().and_then(|m| m.duration_ms).unwrap_or(0);
    match &scan.input.transcript {
        Some(transcript) => Ok(observe::client_transcript(transcript, duration)),
        None if ingested.audio.is_some() => artifacts::get(parts, &scan.id, artifacts::SOUNDS).await,
        None => Ok(Transcript::default()),
    }
}

pub(super) async fn enrich(
    parts: &Parts,
    ctx: &ActivityContext,
    scan: &ScanRow,
) -> Result<EnrichOutput, ActivityError> {
    let id = &scan.id.0;
    let watched = Watched { parts, context: ctx, scan: id, stage: None };
    let ingested: Ingested = artifacts::get(parts, id, artifacts::INGESTED).await?;
    let fused: Fused = artifacts::get(parts, id, artifacts::FUSED).await?;
    let usage = fused.usage.clone();
    let (owner, language) = (id.clone(), scan.input.language.clone());
    let document = watched
        .blocking(move |_, _| {
            // Where in storage each frame is; signed addresses are made of it when the document is read.
            let frame_key = |frame: &str| layout::frame(&owner, frame);
            Ok(enrich::enrich(
                &ingested,
                &fused,
                &DocumentContext { language: &language, frame_key: &frame_key },
            ))
        })
        .await?;
    // A document that breaks its own rules is a bug of ours, and never shown to anybody.
    if let Some(defect) = document.defects().first() {
        return Err(retry("DOCUMENT_DEFECT", defect.clone()));
    }
    let bytes = document.to_bytes().map_err(|e| retry("DOCUMENT", e))?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    parts.store.put_bytes(&layout::document(id), "application/json", bytes).await.map_err(storage)?;
    for used in &usage {
        let (run, tokens) = (&used.run_id, used.prompt_tokens + used.completion_tokens);
        tracing::info!(scan = %id, run, requests = used.requests, tokens, microcents = used.microcents, "endpoint used");
    }
    if !usage.is_empty() {
        let usage = serde_json::to_vec(&usage).map_err(|e| retry("USAGE", e))?;
        parts.store.put_bytes(&layout::usage(id), "application/json", usage).await.map_err(storage)?;
    }
    let claims = u32::try_from(document.claims().count()).unwrap_or(u32::MAX);
    Ok(EnrichOutput { sha256, claims })
}
