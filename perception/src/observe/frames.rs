//! Looking at frames.

use std::path::PathBuf;

use domain::document::{Provider, Run, Task};
use image::{ImageFormat, ImageReader, RgbImage};

use super::{ObservedBatch, ReadText, Seen, SeenThing, warning};
use crate::models::endpoint::{self, Picture, Sight};
use crate::models::{Looked, Models};
use crate::signal::{dominant_colours, light, thousandths};
use crate::{CancelFlag, PerceptionError};

/// A kept frame as it lies on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameFile {
    /// The frame's id.
    pub frame_id: String,
    /// Its JPEG file.
    pub path: PathBuf,
}

/// Looks at a batch of frames with every model there is. `progress` is told the share done after each
/// model's look at each frame. Blocks.
///
/// A model that fails on one frame leaves a warning and that frame without its findings: one odd picture
/// must not cost the others theirs. When it fails on every frame the stage fails.
///
/// # Errors
/// When a picture cannot be read back, or a model fails on all frames; both may pass on a second try.
pub fn frames(
    models: &Models,
    batch: &[FrameFile],
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<ObservedBatch, PerceptionError> {
    let mut out = ObservedBatch { warnings: models.absent.clone(), ..ObservedBatch::default() };
    out.runs.push(light_run());
    out.runs.extend(models.text.iter().map(|m| m.run()));
    out.runs.extend(models.objects.iter().map(|m| m.run()));
    let mut sights = ask_endpoint(models, batch, &mut out, cancel)?;
    let (mut failures, mut looked) = (Failures::default(), 0);
    for (index, file) in batch.iter().enumerate() {
        let at = |part: f32| progress((index as f32 + part) / batch.len() as f32);
        cancel.check()?;
        at(0.0);
        let picture = open(file)?;
        let (light, colours) = (light(&picture), dominant_colours(&picture));
        if let Some(sight) = sights[index].take() {
            let mut seen = Seen {
                frame_id: file.frame_id.clone(),
                readings: Vec::new(),
                detections: Vec::new(),
                light,
                colours,
                descriptor: None,
                seen_by: None,
            };
            endpoint::put(&mut seen, sight);
            out.frames.push(seen);
            continue;
        }
        looked += 1;
        let readings = match &models.text {
            Some(reader) => failures.or_none("TEXT_FAILED", reader.read(&picture))?,
            None => Vec::new(),
        };
        at(0.6);
        cancel.check()?;
        let looked_at = match &models.objects {
            Some(detector) => failures.or_none("OBJECTS_FAILED", detector.detect(&picture))?,
            None => Looked::default(),
        };
        let readings = readings.into_iter().filter(|r| !r.text.trim().is_empty()).map(|r| ReadText {
            text: r.text,
            confidence: thousandths(f64::from(r.confidence).clamp(0.0, 1.0)),
            bbox: rounded(r.bbox),
            pixel_height: thousandths(f64::from(r.pixel_height)),
        });
        let detections = looked_at.things.into_iter().map(|d| SeenThing {
            label: d.label,
            score: thousandths(f64::from(d.score).clamp(0.0, 1.0)),
            bbox: rounded(d.bbox),
        });
        out.frames.push(Seen {
            frame_id: file.frame_id.clone(),
            readings: readings.collect(),
            detections: detections.collect(),
            light,
            colours,
            descriptor: looked_at.descriptor,
            seen_by: None,
        });
    }
    out.warnings.extend(failures.warnings(looked)?);
    progress(1.0);
    Ok(out)
}

/// What an endpoint sees in each frame of a batch; nothing for the frames of a request that failed, which are
/// left to the packaged models with one warning for each kind of fault.
fn ask_endpoint(
    models: &Models,
    batch: &[FrameFile],
    out: &mut ObservedBatch,
    cancel: &CancelFlag,
) -> Result<Vec<Option<Sight>>, PerceptionError> {
    let mut sights: Vec<Option<Sight>> = batch.iter().map(|_| None).collect();
    let Some((endpoint, run)) = models.endpoint.as_ref().and_then(|e| Some((e, e.vision_run()?))) else {
        return Ok(sights);
    };
    let mut spending = endpoint.spending();
    for (number, files) in batch.chunks(endpoint.frames_at_once()).enumerate() {
        cancel.check()?;
        let read = |file: &FrameFile| {
            std::fs::read(&file.path)
                .map_err(|e| PerceptionError::internal(format!("reading {}", file.path.display()), e))
        };
        let bytes = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let pictures: Vec<Picture> =
            files.iter().zip(&bytes).map(|(file, jpeg)| Picture { frame_id: &file.frame_id, jpeg }).collect();
        match endpoint.see(&pictures, &mut spending, cancel) {
            Ok(seen) => {
                let first = number * endpoint.frames_at_once();
                seen.into_iter().zip(&mut sights[first..]).for_each(|(sight, place)| *place = Some(sight));
            }
            Err(fault) => {
                cancel.check()?;
                tracing::warn!(%fault, frames = files.len(), "the endpoint did not see; the packaged models look");
                if out.warnings.iter().all(|w| w.code != fault.code()) {
                    let message =
                        format!("An endpoint did not look at all frames ({fault}); packaged models did.");
                    out.warnings.push(warning(fault.code(), message));
                }
            }
        }
    }
    out.runs.push(run);
    out.usage.extend(spending.usage());
    Ok(sights)
}

/// Frames that a model failed on, by the code of the warning.
#[derive(Default)]
struct Failures {
    by_code: std::collections::BTreeMap<&'static str, (usize, Option<crate::models::ModelError>)>,
}

impl Failures {
    fn or_none<T: Default>(
        &mut self,
        code: &'static str,
        result: Result<T, crate::models::ModelError>,
    ) -> Result<T, PerceptionError> {
        result.or_else(|error| {
            tracing::warn!(code, %error, "a model failed on a frame");
            let entry = self.by_code.entry(code).or_default();
            entry.0 += 1;
            entry.1 = Some(error);
            Ok(T::default())
        })
    }

    fn warnings(self, frames: usize) -> Result<Vec<domain::document::Warning>, PerceptionError> {
        let mut out = Vec::new();
        for (code, (count, error)) in self.by_code {
            match error {
                Some(error) if count == frames => return Err(error.into()),
                _ => out
                    .push(warning(code, format!("A model failed on {count} of {frames} frames of a batch."))),
            }
        }
        Ok(out)
    }
}

fn open(file: &FrameFile) -> Result<RgbImage, PerceptionError> {
    let failed = |e: std::io::Error| PerceptionError::internal(format!("reading {}", file.path.display()), e);
    let reader = ImageReader::open(&file.path).map_err(failed)?;
    let mut reader = ImageReader::with_format(reader.into_inner(), ImageFormat::Jpeg);
    reader.limits(image::Limits::default());
    let picture = reader.decode().map_err(|e| failed(std::io::Error::other(e)))?;
    Ok(picture.into_rgb8())
}

fn rounded(bbox: domain::document::BBox) -> domain::document::BBox {
    let round = |v: f64| (v * 10_000.0).round() / 10_000.0;
    domain::document::BBox { x: round(bbox.x), y: round(bbox.y), w: round(bbox.w), h: round(bbox.h) }
}

fn light_run() -> Run {
    Run::new(Task::Light, Provider::Signal, "luma and named colours", "1")
}
