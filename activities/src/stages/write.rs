//! The stages `fuse` and `enrich`: pure functions between reading and writing storage.

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

use super::{artifacts, runner::StageRunner};
use crate::{
    Dependencies,
    error::{retry, storage},
};

/// Maximum number of concurrent downloads.
const MAX_DOWNLOADS: usize = 4;

pub(super) async fn fuse(
    deps: &Dependencies,
    ctx: &ActivityContext,
    scan: &ScanRow,
    batches: u32,
) -> Result<FuseOutput, ActivityError> {
    let id = &scan.id.0;
    let runner = StageRunner { deps, context: ctx, scan: id, stage: None };
    let ingested: Ingested = artifacts::get(deps, id, artifacts::INGESTED).await?;
    let observed = runner.run(read_observations(deps, id, batches)).await??;
    let transcript = read_transcript(deps, scan, &ingested).await?;
    let settings = deps.perception.clone();
    let (fused, views) = runner
        .run_blocking(move |_, cancel| {
            let fused = fuse::fuse(&ingested, &observed, &transcript, &settings, cancel)?;
            Ok((fused, perception::views(&ingested, &observed).to_bytes()))
        })
        .await?;
    // Comparisons with later scans need the views after the artifacts are gone.
    let views = views.map_err(|e| retry("VIEWS", e))?;
    deps.store.put_bytes(&layout::views(id), "application/gzip", views).await.map_err(storage)?;
    artifacts::put(deps, id, artifacts::FUSED, &fused).await?;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(FuseOutput { zones: count(fused.zones.len()), texts: count(fused.texts.len()) })
}

/// Reads the observations of all batches, in order.
async fn read_observations(
    deps: &Dependencies,
    id: &ScanId,
    batches: u32,
) -> Result<Vec<ObservedBatch>, ActivityError> {
    let read =
        (0..batches).map(|number| async move { artifacts::get(deps, id, &artifacts::batch(number)).await });
    futures::stream::iter(read).buffered(MAX_DOWNLOADS).try_collect().await
}

/// Returns the client's transcript if the request contained one, otherwise that of `listen`.
async fn read_transcript(
    deps: &Dependencies,
    scan: &ScanRow,
    ingested: &Ingested,
) -> Result<Transcript, ActivityError> {
    let duration = ingested.media.first().and_then(|m| m.duration_ms).unwrap_or(0);
    if let Some(stored_under) = &scan.transcript_of {
        let key = layout::transcript(stored_under);
        let bytes = deps.store.get_bytes(&key, layout::MAX_TRANSCRIPT_BYTES).await.map_err(storage)?;
        let transcript = serde_json::from_slice(&bytes).map_err(|e| retry("TRANSCRIPT", e))?;
        return Ok(observe::client_transcript(&transcript, duration));
    }
    match &scan.input.transcript {
        Some(transcript) => Ok(observe::client_transcript(transcript, duration)),
        None if ingested.audio.is_some() => artifacts::get(deps, &scan.id, artifacts::TRANSCRIPT).await,
        None => Ok(Transcript::default()),
    }
}

pub(super) async fn enrich(
    deps: &Dependencies,
    ctx: &ActivityContext,
    scan: &ScanRow,
) -> Result<EnrichOutput, ActivityError> {
    let id = &scan.id.0;
    let runner = StageRunner { deps, context: ctx, scan: id, stage: None };
    let ingested: Ingested = artifacts::get(deps, id, artifacts::INGESTED).await?;
    let fused: Fused = artifacts::get(deps, id, artifacts::FUSED).await?;
    let usage = fused.usage.clone();
    let (scan_id, language) = (id.clone(), scan.input.language.clone());
    let document = runner
        .run_blocking(move |_, _| {
            // The document stores the key of each frame. Reading it creates signed URLs from the
            // keys.
            let frame_key = |frame: &str| layout::frame(&scan_id, frame);
            Ok(enrich::enrich(
                &ingested,
                &fused,
                &DocumentContext { language: &language, frame_key: &frame_key },
            ))
        })
        .await?;
    // A document that violates its own rules is our bug, and must not be published.
    if let Some(defect) = document.defects().first() {
        return Err(retry("DOCUMENT_DEFECT", defect.clone()));
    }
    let bytes = document.to_bytes().map_err(|e| retry("DOCUMENT", e))?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    deps.store.put_bytes(&layout::document(id), "application/json", bytes).await.map_err(storage)?;
    for used in &usage {
        let (run, tokens) = (&used.run_id, used.prompt_tokens + used.completion_tokens);
        tracing::info!(scan = %id, run, requests = used.requests, tokens, microcents = used.microcents, "endpoint used");
    }
    if !usage.is_empty() {
        let usage = serde_json::to_vec(&usage).map_err(|e| retry("USAGE", e))?;
        deps.store.put_bytes(&layout::usage(id), "application/json", usage).await.map_err(storage)?;
    }
    let claims = u32::try_from(document.claims().count()).unwrap_or(u32::MAX);
    Ok(EnrichOutput { sha256, claims })
}
