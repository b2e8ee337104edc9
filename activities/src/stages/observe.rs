//! The stage `observe`: one batch of frames, or the sound.

use domain::{Stage, layout};
use entities::ScanRow;
use futures::{StreamExt, TryStreamExt};
use perception::{
    ingest::Ingested,
    observe::{self, FrameFile},
};
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{ListenOutput, ObserveOutput};

use super::{artifacts, runner::StageRunner};
use crate::{
    Dependencies,
    error::{disk, storage},
};

/// Maximum size of one frame, in bytes.
const MAX_FRAME_BYTES: u64 = 20 * 1000 * 1000;
/// Maximum size of the sound, in bytes.
const MAX_SOUND_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Maximum number of concurrent downloads.
const MAX_DOWNLOADS: usize = 4;

/// Observes one of `batches` consecutive slices of the frames.
pub(super) async fn frames(
    deps: &Dependencies,
    ctx: &ActivityContext,
    scan: &ScanRow,
    batch: u32,
    batches: u32,
) -> Result<ObserveOutput, ActivityError> {
    let id = &scan.id.0;
    let runner = StageRunner { deps, context: ctx, scan: id, stage: None };
    let ingested: Ingested = artifacts::get(deps, id, artifacts::INGESTED).await?;
    let batch_frames = slice(&ingested.frames, batch, batches);
    let scratch = deps.scratch.folder("observe").map_err(disk)?;
    let folder = &scratch;
    let downloads = batch_frames.iter().cloned().map(|frame| async move {
        let path = folder.file(&format!("{}.jpg", frame.id));
        let key = layout::frame(id, &frame.id);
        deps.store.get_to_file(&key, &path, MAX_FRAME_BYTES).await.map_err(storage)?;
        Ok::<_, ActivityError>(FrameFile { frame_id: frame.id, path })
    });
    let pictures: Vec<FrameFile> =
        runner.run(futures::stream::iter(downloads).buffered(MAX_DOWNLOADS).try_collect()).await??;
    let models = deps.models.clone();
    let observed = runner
        .run_blocking(move |progress, cancel| {
            observe::frames(&models, &pictures, &|done| progress.set(done), cancel)
        })
        .await?;
    artifacts::put(deps, id, &artifacts::batch(batch), &observed).await?;
    runner.part_done(Stage::Observing, batch, batches).await;
    let readings = observed.frames.iter().map(|f| f.readings.len()).sum::<usize>();
    Ok(ObserveOutput {
        frames: u32::try_from(batch_frames.len()).unwrap_or(u32::MAX),
        readings: u32::try_from(readings).unwrap_or(u32::MAX),
    })
}

/// Returns the frames of one batch. `ingest` decided the number of batches, so that workers with
/// different settings cut the frames at the same places.
fn slice<T>(frames: &[T], batch: u32, batches: u32) -> &[T] {
    let (batch, batches) = (batch as usize, batches.max(1) as usize);
    let start = |batch: usize| (frames.len() * batch / batches).min(frames.len());
    &frames[start(batch)..start(batch + 1)]
}

/// Transcribes the whole sound.
pub(super) async fn sound(
    deps: &Dependencies,
    ctx: &ActivityContext,
    scan: &ScanRow,
) -> Result<ListenOutput, ActivityError> {
    let id = &scan.id.0;
    let runner = StageRunner { deps, context: ctx, scan: id, stage: None };
    let scratch = deps.scratch.folder("listen").map_err(disk)?;
    let path = scratch.file("audio.wav");
    runner.run(deps.store.get_to_file(&layout::audio(id), &path, MAX_SOUND_BYTES)).await?.map_err(storage)?;
    let (models, language) = (deps.models.clone(), scan.input.language.clone());
    let transcript = runner
        .run_blocking(move |progress, cancel| {
            observe::transcribe(&models, &path, &language, &|done| progress.set(done), cancel)
        })
        .await?;
    artifacts::put(deps, id, artifacts::TRANSCRIPT, &transcript).await?;
    Ok(ListenOutput { segments: u32::try_from(transcript.segments.len()).unwrap_or(u32::MAX) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::slice;

    proptest! {
        #[test]
        fn slices_cover_every_frame_once_with_similar_lengths(frames in 0_usize..3_000, batches in 1_u32..200) {
            let all: Vec<usize> = (0..frames).collect();
            let slices: Vec<_> = (0..batches).map(|batch| slice(&all, batch, batches)).collect();
            prop_assert_eq!(slices.concat(), &all[..]);
            let lengths = || slices.iter().map(|slice| slice.len());
            prop_assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1);
        }
    }
}
