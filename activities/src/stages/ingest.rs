//! Ingesting: media from storage, frames and sound back.

use domain::{
    ScanId, Stage, layout,
    media::{InputKind, MAX_PHOTO_BYTES, MAX_VIDEO_BYTES, UploadSlot},
};
use entities::ScanRow;
use futures::{StreamExt, TryStreamExt};
use media::scratch::Scratch;
use perception::ingest::{self, Ingested, PhotoFile};
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::IngestOutput;

use super::artifacts;
use crate::{
    Parts,
    error::{disk, storage},
    watch::Watched,
};

/// Objects moved at once.
const AT_ONCE: usize = 8;

pub(super) async fn run(
    parts: &Parts,
    ctx: &ActivityContext,
    scan: &ScanRow,
) -> Result<IngestOutput, ActivityError> {
    let id = &scan.id.0;
    let scratch = parts.scratch.folder("ingest").map_err(disk)?;
    let work = scratch.subfolder("work").map_err(disk)?;
    let watched = Watched { parts, context: ctx, scan: id, stage: Some(Stage::Ingesting) };
    let settings = parts.perception.clone();
    let ingested = match scan.input.kind {
        InputKind::Video => {
            let file = scratch.file("source");
            let key = layout::source(id, UploadSlot::Video);
            watched.alive(parts.store.get_to_file(&key, &file, MAX_VIDEO_BYTES)).await?.map_err(storage)?;
            let work = work.clone();
            watched
                .blocking(move |progress, cancel| {
                    ingest::video(&file, &work, &settings, &|done| progress.set(done), cancel)
                })
                .await?
        }
        InputKind::Frames => {
            let photos = watched.alive(photos(parts, scan, &scratch)).await??;
            let work = work.clone();
            watched
                .blocking(move |progress, cancel| {
                    ingest::photos(&photos, &work, &settings, &|done| progress.set(done), cancel)
                })
                .await?
        }
    };
    watched.alive(store(parts, id, &ingested, &work)).await??;
    Ok(output(parts, scan, &ingested))
}

/// Brings the photos to this machine, in order.
async fn photos(parts: &Parts, scan: &ScanRow, scratch: &Scratch) -> Result<Vec<PhotoFile>, ActivityError> {
    let declared = scan.input.frames.clone().unwrap_or_default();
    let brought = (0..).zip(declared).map(|(ordinal, frame)| async move {
        let path = scratch.file(&format!("photo-{ordinal:05}"));
        let key = layout::source(&scan.id, UploadSlot::Frame(ordinal));
        parts.store.get_to_file(&key, &path, MAX_PHOTO_BYTES).await.map_err(storage)?;
        Ok(PhotoFile { ordinal, t_ms: frame.timestamp_ms, path })
    });
    futures::stream::iter(brought).buffered(AT_ONCE).try_collect().await
}

/// Puts frames, sound and findings into storage; the findings last, so that they are never without.
async fn store(
    parts: &Parts,
    scan: &ScanId,
    ingested: &Ingested,
    work: &std::path::Path,
) -> Result<(), ActivityError> {
    let stored = ingested.files.clone().into_iter().map(|frame| async move {
        let key = layout::frame(scan, &frame.frame_id);
        parts.store.put_file(&key, "image/jpeg", &work.join(&frame.file)).await.map_err(storage)
    });
    futures::stream::iter(stored).buffer_unordered(AT_ONCE).try_collect::<Vec<_>>().await?;
    if let Some(audio) = &ingested.audio {
        parts.store.put_file(&layout::audio(scan), "audio/wav", &work.join(audio)).await.map_err(storage)?;
    }
    artifacts::put(parts, scan, artifacts::INGESTED, ingested).await
}

fn output(parts: &Parts, scan: &ScanRow, ingested: &Ingested) -> IngestOutput {
    let frames = u32::try_from(ingested.frames.len()).unwrap_or(u32::MAX);
    IngestOutput {
        frames,
        batches: frames.div_ceil(parts.scans.frames_a_batch.max(1)),
        listen: ingested.audio.is_some() && scan.input.transcript.is_none(),
        duration_ms: ingested.media.first().and_then(|m| m.duration_ms),
    }
}
