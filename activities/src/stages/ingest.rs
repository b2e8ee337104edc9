//! The stage `ingest`: reads media from storage, and writes frames and sound.

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

use super::{artifacts, runner::StageRunner};
use crate::{
    Dependencies,
    error::{disk, storage},
};

/// Maximum number of concurrent transfers.
const MAX_TRANSFERS: usize = 8;

pub(super) async fn run(
    deps: &Dependencies,
    ctx: &ActivityContext,
    scan: &ScanRow,
) -> Result<IngestOutput, ActivityError> {
    let id = &scan.id.0;
    let scratch = deps.scratch.folder("ingest").map_err(disk)?;
    let work = scratch.subfolder("work").map_err(disk)?;
    let runner = StageRunner { deps, context: ctx, scan: id, stage: Some(Stage::Ingesting) };
    let settings = deps.perception.clone();
    let ingested = match scan.input.kind {
        InputKind::Video => {
            let file = scratch.file("source");
            let key = layout::source(id, UploadSlot::Video);
            runner.run(deps.store.get_to_file(&key, &file, MAX_VIDEO_BYTES)).await?.map_err(storage)?;
            let work = work.clone();
            runner
                .run_blocking(move |progress, cancel| {
                    ingest::video(&file, &work, &settings, &|done| progress.set(done), cancel)
                })
                .await?
        }
        InputKind::Frames => {
            let photos = runner.run(download_photos(deps, scan, &scratch)).await??;
            let work = work.clone();
            runner
                .run_blocking(move |progress, cancel| {
                    ingest::photos(&photos, &work, &settings, &|done| progress.set(done), cancel)
                })
                .await?
        }
    };
    runner.run(store(deps, id, &ingested, &work)).await??;
    Ok(output(deps, scan, &ingested))
}

/// Downloads the photos, in order.
async fn download_photos(
    deps: &Dependencies,
    scan: &ScanRow,
    scratch: &Scratch,
) -> Result<Vec<PhotoFile>, ActivityError> {
    let declared = scan.input.frames.clone().unwrap_or_default();
    let downloads = (0..).zip(declared).map(|(ordinal, frame)| async move {
        let path = scratch.file(&format!("photo-{ordinal:05}"));
        let key = layout::source(&scan.id, UploadSlot::Frame(ordinal));
        deps.store.get_to_file(&key, &path, MAX_PHOTO_BYTES).await.map_err(storage)?;
        Ok(PhotoFile { ordinal, t_ms: frame.timestamp_ms, path })
    });
    futures::stream::iter(downloads).buffered(MAX_TRANSFERS).try_collect().await
}

/// Stores the frames, the sound and then the artifact, so that an artifact's files always exist.
async fn store(
    deps: &Dependencies,
    scan: &ScanId,
    ingested: &Ingested,
    work: &std::path::Path,
) -> Result<(), ActivityError> {
    let stored = ingested.files.clone().into_iter().map(|frame| async move {
        let key = layout::frame(scan, &frame.frame_id);
        deps.store.put_file(&key, "image/jpeg", &work.join(&frame.file)).await.map_err(storage)
    });
    futures::stream::iter(stored).buffer_unordered(MAX_TRANSFERS).try_collect::<Vec<_>>().await?;
    if let Some(audio) = &ingested.audio {
        deps.store.put_file(&layout::audio(scan), "audio/wav", &work.join(audio)).await.map_err(storage)?;
    }
    artifacts::put(deps, scan, artifacts::INGESTED, ingested).await
}

fn output(deps: &Dependencies, scan: &ScanRow, ingested: &Ingested) -> IngestOutput {
    let frames = u32::try_from(ingested.frames.len()).unwrap_or(u32::MAX);
    IngestOutput {
        frames,
        batches: frames.div_ceil(deps.scans.frames_a_batch.max(1)),
        listen: ingested.audio.is_some() && !scan.has_transcript(),
        duration_ms: ingested.media.first().and_then(|m| m.duration_ms),
    }
}
