//! Runs a video or photos through the five stages, in this process.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::document::SpaceDocument;
use perception::{
    CancelFlag, Settings,
    enrich::{self, DocumentContext},
    fuse,
    ingest::{self, Ingested, PhotoFile},
    models::Models,
    observe::{self, FrameFile, ObservedBatch, Transcript},
};
use serde::{Deserialize, Serialize};

/// Frames per batch, as in production.
const BATCH_SIZE: usize = 16;
/// Another batch size, which must produce the same document.
const OTHER_BATCH_SIZE: usize = 7;
/// File of the stored observations, for `--reuse`.
const STORED: &str = "observed.json";

/// A video or photos in a folder.
pub(super) struct Media {
    folder: PathBuf,
    photos: bool,
}

/// Output of the stages that run models.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Observations {
    pub(super) ingested: Ingested,
    pub(super) observed: Vec<ObservedBatch>,
    #[serde(rename = "sounds")]
    pub(super) transcript: Transcript,
}

impl Media {
    /// Media in a folder: `photo-000.jpg` … or `video.mp4`.
    pub(super) fn new(folder: &Path, photos: bool) -> Media {
        Media { folder: folder.to_owned(), photos }
    }

    /// Runs the stages up to the models, or reads their stored output if `reuse` is set and it
    /// exists.
    pub(super) fn observe(
        &self,
        models: &Models,
        settings: &Settings,
        reuse: bool,
    ) -> anyhow::Result<Observations> {
        let stored = self.folder.join(STORED);
        if reuse && let Ok(bytes) = fs::read(&stored) {
            return Ok(serde_json::from_slice(&bytes)?);
        }
        let observations = self.observe_in_batches(models, settings, BATCH_SIZE)?;
        fs::write(&stored, serde_json::to_vec(&observations)?)?;
        Ok(observations)
    }

    /// Runs the same stages with another batch size.
    pub(super) fn observe_again(&self, models: &Models, settings: &Settings) -> anyhow::Result<Observations> {
        self.observe_in_batches(models, settings, OTHER_BATCH_SIZE)
    }

    fn observe_in_batches(
        &self,
        models: &Models,
        settings: &Settings,
        size: usize,
    ) -> anyhow::Result<Observations> {
        let work = tempfile::tempdir()?;
        let (cancel, quiet) = (CancelFlag::default(), |_: f32| {});
        let ingested = if self.photos {
            ingest::photos(&self.photos()?, work.path(), settings, &quiet, &cancel)?
        } else {
            ingest::video(&self.folder.join("video.mp4"), work.path(), settings, &quiet, &cancel)?
        };
        let files: Vec<FrameFile> = ingested
            .files
            .iter()
            .map(|f| FrameFile { frame_id: f.frame_id.clone(), path: work.path().join(&f.file) })
            .collect();
        let observed = files
            .chunks(size)
            .map(|batch| observe::frames(models, batch, &quiet, &cancel))
            .collect::<Result<_, _>>()?;
        let transcript = match &ingested.audio {
            Some(audio) => observe::transcribe(models, &work.path().join(audio), "en", &quiet, &cancel)?,
            None => Transcript::default(),
        };
        Ok(Observations { ingested, observed, transcript })
    }

    fn photos(&self) -> anyhow::Result<Vec<PhotoFile>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            paths.extend(path.extension().is_some_and(|e| e == "jpg").then_some(path));
        }
        paths.sort();
        Ok((0..).zip(paths).map(|(ordinal, path)| PhotoFile { ordinal, t_ms: None, path }).collect())
    }
}

impl Observations {
    /// Runs the stages after the models and returns the document.
    pub(super) fn document(&self, settings: &Settings) -> SpaceDocument {
        let fused = fuse::fuse(&self.ingested, &self.observed, &self.transcript, settings);
        let context =
            DocumentContext { language: "en", frame_key: &|frame: &str| format!("frames/{frame}.jpg") };
        enrich::enrich(&self.ingested, &fused, &context)
    }
}
