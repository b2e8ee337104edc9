//! Observing: batches of frames in parallel, and the sound beside them.

use domain::{Stage, layout};
use entities::ScanRow;
use futures::{StreamExt, TryStreamExt};
use perception::{
    ingest::Ingested,
    observe::{self, FrameFile},
};
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{ListenOutput, ObserveOutput};

use super::artifacts;
use crate::{
    Parts,
    error::{disk, storage},
    watch::Watched,
};

/// Most bytes of one kept frame or of the sound.
const MAX_FRAME: u64 = 20 * 1000 * 1000;
const MAX_SOUND: u64 = 2 * 1024 * 1024 * 1024;
/// Frames brought here at once.
const AT_ONCE: usize = 4;

/// Looks at one of `batches` stretches of frames of about the same length.
pub(super) async fn frames(
    parts: &Parts,
    ctx: &ActivityContext,
    scan: &ScanRow,
    batch: u32,
    batches: u32,
) -> Result<ObserveOutput, ActivityError> {
    let id = &scan.id.0;
    let watched = Watched { parts, context: ctx, scan: id, stage: None };
    let ingested: Ingested = artifacts::get(parts, id, artifacts::INGESTED).await?;
    let mine = stretch(&ingested.frames, batch, batches);
    let scratch = parts.scratch.folder("observe").map_err(disk)?;
    let folder = &scratch;
    let brought = mine.iter().cloned().map(|frame| async move {
        let path = folder.file(&format!("{}.jpg", frame.id));
        let key = layout::frame(id, &frame.id);
        parts.store.get_to_file(&key, &path, MAX_FRAME).await.map_err(storage)?;
        Ok::<_, ActivityError>(FrameFile { frame_id: frame.id, path })
    });
    let pictures: Vec<FrameFile> =
        watched.alive(futures::stream::iter(brought).buffered(AT_ONCE).try_collect()).await??;
    let models = parts.models.clone();
    let observed = watched
        .blocking(move |progress, cancel| {
            observe::frames(&models, &pictures, &|done| progress.set(done), cancel)
        })
        .await?;
    artifacts::put(parts, id, &artifacts::batch(batch), &observed).await?;
    watched.part_done(Stage::Observing, batch, batches).await;
    let readings = observed.frames.iter().map(|f| f.readings.len()).sum::<usize>();
    Ok(ObserveOutput {
        frames: u32::try_from(mine.len()).unwrap_or(u32::MAX),
        readings: u32::try_from(readings).unwrap_or(u32::MAX),
    })
}

/// The frames of one batch. How many batches there are was decided when the frames were kept, so that workers whose
/// settings differ cut alike.
fn stretch<T>(frames: &[T], batch: u32, batches: u32) -> &[T] {
    let (batch, batches) = (batch as usize, batches.max(1) as usize);
    let start = |batch: usize| (frames.len() * batch / batches).min(frames.len());
    &frames[start(batch)..start(batch + 1)]
}

/// Listens to the whole sound.
pub(super) async fn sound(
    parts: &Parts,
    ctx: &ActivityContext,
    scan: &ScanRow,
) -> Result<ListenOutput, ActivityError> {
    let id = &scan.id.0;
    let watched = Watched { parts, context: ctx, scan: id, stage: None };
    let scratch = parts.scratch.folder("listen").map_err(disk)?;
    let path = scratch.file("audio.wav");
    watched.alive(parts.store.get_to_file(&layout::audio(id), &path, MAX_SOUND)).await?.map_err(storage)?;
    let (models, language) = (parts.models.clone(), scan.input.language.clone());
    let sounds = watched
        .blocking(move |progress, cancel| {
            observe::transcribe(&models, &path, &language, &|done| progress.set(done), cancel)
        })
        .await?;
    artifacts::put(parts, id, artifacts::SOUNDS, &sounds).await?;
    Ok(ListenOutput { segments: u32::try_from(sounds.segments.len()).unwrap_or(u32::MAX) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stretch;

    proptest! {
        #[test]
        fn stretches_hold_every_frame_once_and_are_alike(frames in 0_usize..3_000, batches in 1_u32..200) {
            let all: Vec<usize> = (0..frames).collect();
            let stretches: Vec<_> = (0..batches).map(|batch| stretch(&all, batch, batches)).collect();
            prop_assert_eq!(stretches.concat(), &all[..]);
            let lengths = || stretches.iter().map(|stretch| stretch.len());
            prop_assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1);
        }
    }
}
