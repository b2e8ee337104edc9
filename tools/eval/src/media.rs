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
use registration::WalkViews;
use serde::{Deserialize, Serialize};

use super::observation_cache::ObservationCache;

/// Frames per batch, as in production.
const BATCH_SIZE: usize = 16;
/// Another batch size, which must produce the same document.
const OTHER_BATCH_SIZE: usize = 7;
/// File of the stored observations, for `--reuse`.
const STORED: &str = "observed.json";

/// A video or photos.
pub(super) struct Media {
    source: Source,
    /// File for the output of the stages that run models.
    stored: Option<PathBuf>,
}

enum Source {
    Video(PathBuf),
    /// Photos in order.
    Photos(Vec<PathBuf>),
    /// Every JPEG file of a folder, in the order of their names.
    PhotoFolder(PathBuf),
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
        let source = if photos {
            Source::PhotoFolder(folder.to_owned())
        } else {
            Source::Video(folder.join("video.mp4"))
        };
        Media { source, stored: Some(folder.join(STORED)) }
    }

    /// A video file, whose folder is not written to.
    pub(super) fn video(path: PathBuf) -> Media {
        Media { source: Source::Video(path), stored: None }
    }

    /// Photos in this order, whose folder is not written to.
    pub(super) fn photos(paths: Vec<PathBuf>) -> Media {
        Media { source: Source::Photos(paths), stored: None }
    }

    /// Runs the stages up to the models, or reads their stored output if `reuse` is set and it
    /// exists.
    pub(super) fn observe(
        &self,
        models: &Models,
        settings: &Settings,
        reuse: bool,
    ) -> anyhow::Result<Observations> {
        if reuse && let Some(Ok(bytes)) = self.stored.as_ref().map(fs::read) {
            return Ok(serde_json::from_slice(&bytes)?);
        }
        let observations = self.observe_in_batches(models, settings, BATCH_SIZE)?;
        if let Some(stored) = &self.stored {
            fs::write(stored, serde_json::to_vec(&observations)?)?;
        }
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
        let ingested = self.ingest(work.path(), settings)?;
        let observed = frame_files(&ingested, work.path())
            .chunks(size)
            .map(|batch| observe::frames(models, batch, &quiet, &cancel))
            .collect::<Result<_, _>>()?;
        let transcript = match &ingested.audio {
            Some(audio) => observe::transcribe(models, &work.path().join(audio), "en", &quiet, &cancel)?,
            None => Transcript::default(),
        };
        Ok(Observations { ingested, observed, transcript })
    }

    /// Runs the stages up to the models; the models run only for pictures and sounds that the cache
    /// doesn't have.
    pub(super) fn observe_with(
        &self,
        models: &Models,
        settings: &Settings,
        cache: &ObservationCache,
    ) -> anyhow::Result<Observations> {
        let work = tempfile::tempdir()?;
        let (cancel, quiet) = (CancelFlag::default(), |_: f32| {});
        let ingested = self.ingest(work.path(), settings)?;
        let observed = cache.frames(&frame_files(&ingested, work.path()), |file| {
            Ok(observe::frames(models, std::slice::from_ref(file), &quiet, &cancel)?)
        })?;
        let transcript = match &ingested.audio {
            Some(audio) => {
                let sound = work.path().join(audio);
                cache
                    .transcript(&sound, || Ok(observe::transcribe(models, &sound, "en", &quiet, &cancel)?))?
            }
            None => Transcript::default(),
        };
        Ok(Observations { ingested, observed, transcript })
    }

    fn ingest(&self, work: &Path, settings: &Settings) -> anyhow::Result<Ingested> {
        let (cancel, quiet) = (CancelFlag::default(), |_: f32| {});
        let photos = match &self.source {
            Source::Video(path) => return Ok(ingest::video(path, work, settings, &quiet, &cancel)?),
            Source::Photos(paths) => paths.clone(),
            Source::PhotoFolder(folder) => photos_in(folder)?,
        };
        let photos = (0..).zip(photos).map(|(ordinal, path)| PhotoFile { ordinal, t_ms: None, path });
        Ok(ingest::photos(&photos.collect::<Vec<_>>(), work, settings, &quiet, &cancel)?)
    }
}

fn frame_files(ingested: &Ingested, work: &Path) -> Vec<FrameFile> {
    let file = |f: &ingest::FrameFile| FrameFile { frame_id: f.frame_id.clone(), path: work.join(&f.file) };
    ingested.files.iter().map(file).collect()
}

fn photos_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        paths.extend(path.extension().is_some_and(|e| e == "jpg").then_some(path));
    }
    paths.sort();
    Ok(paths)
}

impl Observations {
    /// Runs the stages after the models and returns the document.
    pub(super) fn document(&self, settings: &Settings) -> SpaceDocument {
        let cancel = CancelFlag::default();
        let Ok(fused) = fuse::fuse(&self.ingested, &self.observed, &self.transcript, settings, &cancel)
        else {
            unreachable!("only a set flag ends this stage early");
        };
        let context =
            DocumentContext { language: "en", frame_key: &|frame: &str| format!("frames/{frame}.jpg") };
        enrich::enrich(&self.ingested, &fused, &context)
    }

    /// Returns the views, as the pipeline stores them beside the document.
    pub(super) fn views(&self) -> WalkViews {
        perception::views(&self.ingested, &self.observed)
    }
}
