//! A video or photos through the five stages, in this process.

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

/// Frames that a worker takes at once, as in production; and another number, which must change nothing.
const BATCH: usize = 16;
const OTHER_BATCH: usize = 7;
/// What models saw, stored for `--reuse`.
const STORED: &str = "observed.json";

/// What is looked at.
pub(super) struct Media {
    folder: PathBuf,
    photos: bool,
}

/// What models saw and heard of it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) ingested: Ingested,
    pub(super) observed: Vec<ObservedBatch>,
    pub(super) sounds: Transcript,
}

impl Media {
    /// `photo-000.jpg` … or `video.mp4` in a folder.
    pub(super) fn new(folder: &Path, photos: bool) -> Media {
        Media { folder: folder.to_owned(), photos }
    }

    /// Runs the stages that look and listen.
    pub(super) fn look(&self, models: &Models, settings: &Settings, reuse: bool) -> anyhow::Result<Seen> {
        let stored = self.folder.join(STORED);
        if reuse && let Ok(bytes) = fs::read(&stored) {
            return Ok(serde_json::from_slice(&bytes)?);
        }
        let seen = self.look_in_batches(models, settings, BATCH)?;
        fs::write(&stored, serde_json::to_vec(&seen)?)?;
        Ok(seen)
    }

    /// The same once more, in batches of another size.
    pub(super) fn look_again(&self, models: &Models, settings: &Settings) -> anyhow::Result<Seen> {
        self.look_in_batches(models, settings, OTHER_BATCH)
    }

    fn look_in_batches(&self, models: &Models, settings: &Settings, size: usize) -> anyhow::Result<Seen> {
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
        let sounds = match &ingested.audio {
            Some(audio) => observe::transcribe(models, &work.path().join(audio), "en", &quiet, &cancel)?,
            None => Transcript::default(),
        };
        Ok(Seen { ingested, observed, sounds })
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

impl Seen {
    /// Runs the stages that think.
    pub(super) fn document(&self, settings: &Settings) -> SpaceDocument {
        let fused = fuse::fuse(&self.ingested, &self.observed, &self.sounds, settings);
        let about =
            DocumentContext { language: "en", frame_key: &|frame: &str| format!("frames/{frame}.jpg") };
        enrich::enrich(&self.ingested, &fused, &about)
    }
}
