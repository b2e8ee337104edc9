//! Observes frames: text, objects, lightness and colours.

use std::collections::BTreeMap;
use std::path::PathBuf;

use domain::document::{Provider, Run, Task};
use image::{ImageFormat, ImageReader, RgbImage};

use super::parallel::{self, Report};
use super::{FrameObservation, ObservedBatch, warning};
use crate::models::endpoint::{EndpointError, Picture, VISION_RUN};
use crate::models::{DetectorOutput, ModelError, Models};
use crate::observation::{Detection, FrameFindings, TextReading};
use crate::signal::{Descriptor, dominant_colours, light, thousandths};
use crate::{CancelFlag, PerceptionError};

/// A kept frame on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameFile {
    /// Id of the frame.
    pub frame_id: String,
    /// Path of its JPEG file.
    pub path: PathBuf,
}

/// Number of frames that are observed at once. Each step of a model that cannot be divided leaves processors
/// to the other frame; more frames would only need more memory, because models divide most steps.
const FRAMES_AT_ONCE: usize = 2;
/// Share of the work on a frame that is done once its text is read.
const PROGRESS_AFTER_TEXT: f32 = 0.6;
/// The same once its objects are detected.
const PROGRESS_AFTER_OBJECTS: f32 = 0.85;

/// Observes a batch of frames with every available model, two frames at a time. Calls `progress` with the
/// share done before each frame and between its models. Blocks.
///
/// A model that fails on some frames adds a warning, and those frames get no findings of this
/// model. One unusual picture must not fail the whole batch.
///
/// # Errors
/// Returns an error if a picture cannot be read back or a model fails on all frames. Both may
/// succeed when retried.
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
    out.runs.extend(models.furniture.iter().map(|m| m.run()));
    let remote = observe_remotely(models, batch, &mut out, cancel)?;
    let observe = |index: usize, report: &Report<Observed>| {
        observe_frame(models, &batch[index], remote[index].as_ref(), report, cancel)
    };
    let mut failures = Failures::default();
    for (observation, failed) in parallel::map(batch.len(), FRAMES_AT_ONCE, observe, progress)? {
        failures.add(failed);
        out.frames.push(observation);
    }
    out.warnings.extend(failures.warnings(remote.iter().filter(|findings| findings.is_none()).count())?);
    progress(1.0);
    Ok(out)
}

/// Observation of a frame, and the models that failed on it, by the code of the warning.
type Observed = Result<(FrameObservation, Vec<(&'static str, ModelError)>), PerceptionError>;

/// Observes one frame: with the findings of the endpoint, or else with the packaged models.
fn observe_frame(
    models: &Models,
    file: &FrameFile,
    remote: Option<&FrameFindings>,
    report: &Report<Observed>,
    cancel: &CancelFlag,
) -> Observed {
    cancel.check()?;
    report.progress(0.0);
    let picture = read_jpeg(file)?;
    let mut observation = FrameObservation {
        frame_id: file.frame_id.clone(),
        readings: Vec::new(),
        detections: Vec::new(),
        furniture: Vec::new(),
        light: light(&picture),
        colours: dominant_colours(&picture),
        descriptor: None,
        run_id: None,
    };
    let mut packaged = PackagedModels { models, failures: Vec::new() };
    match remote {
        Some(findings) => {
            observation.readings.clone_from(&findings.readings);
            observation.detections.clone_from(&findings.detections);
            observation.run_id = Some(VISION_RUN.to_owned());
            observation.descriptor = packaged.descriptor(&picture);
        }
        None => packaged.observe(&picture, &mut observation, report, cancel)?,
    }
    Ok((observation, packaged.failures))
}

/// The packaged models, with their failures on one frame.
struct PackagedModels<'a> {
    models: &'a Models,
    failures: Vec<(&'static str, ModelError)>,
}

impl PackagedModels<'_> {
    /// Adds the texts, the objects and the descriptor of a frame to its observation.
    fn observe(
        &mut self,
        picture: &RgbImage,
        observation: &mut FrameObservation,
        report: &Report<Observed>,
        cancel: &CancelFlag,
    ) -> Result<(), PerceptionError> {
        let readings = match &self.models.text {
            Some(reader) => self.value_or_default("TEXT_FAILED", reader.read(picture)),
            None => Vec::new(),
        };
        report.progress(PROGRESS_AFTER_TEXT);
        cancel.check()?;
        let output = match &self.models.objects {
            Some(detector) => self.value_or_default("OBJECTS_FAILED", detector.detect(picture)),
            None => DetectorOutput::default(),
        };
        report.progress(PROGRESS_AFTER_OBJECTS);
        cancel.check()?;
        let furniture = match &self.models.furniture {
            Some(classifier) => self.value_or_default("FURNITURE_FAILED", classifier.classify(picture)),
            None => Vec::new(),
        };
        let readings = readings.into_iter().filter(|r| !r.text.trim().is_empty()).map(|r| TextReading {
            text: r.text,
            confidence: thousandths(r.confidence.clamp(0.0, 1.0)),
            bbox: rounded(r.bbox),
            pixel_height: thousandths(r.pixel_height),
        });
        observation.readings = readings.collect();
        observation.detections = output.detections.into_iter().map(rounded_detection).collect();
        observation.furniture = furniture.into_iter().map(rounded_detection).collect();
        observation.descriptor = output.descriptor;
        Ok(())
    }

    /// Returns the descriptor of a frame that the endpoint observed. Zones are distinguished by it, and no
    /// endpoint computes one. Returns `None` without a packaged detector, or if it fails.
    fn descriptor(&self, picture: &RgbImage) -> Option<Descriptor> {
        let detected = self.models.objects.as_ref()?.detect(picture);
        detected.inspect_err(|error| tracing::warn!(%error, "no descriptor of a frame")).ok()?.descriptor
    }

    /// Returns the value of a model. If the model failed, records the failure and returns an empty
    /// value.
    fn value_or_default<T: Default>(&mut self, code: &'static str, result: Result<T, ModelError>) -> T {
        result.unwrap_or_else(|error| {
            tracing::warn!(code, %error, "a model failed on a frame");
            self.failures.push((code, error));
            T::default()
        })
    }
}

/// The number of failed frames and the last error of each model, by the code of the warning.
#[derive(Default)]
struct Failures(BTreeMap<&'static str, (usize, ModelError)>);

impl Failures {
    fn add(&mut self, of_frame: Vec<(&'static str, ModelError)>) {
        for (code, error) in of_frame {
            let count = self.0.get(code).map_or(0, |(count, _)| *count);
            self.0.insert(code, (count + 1, error));
        }
    }

    /// Returns one warning per failed model, or the error of a model that failed on all frames that the
    /// packaged models observed.
    fn warnings(self, frames: usize) -> Result<Vec<domain::document::Warning>, PerceptionError> {
        let mut out = Vec::new();
        for (code, (count, error)) in self.0 {
            if count == frames {
                return Err(error.into());
            }
            let message = format!("A model failed on {count} of {frames} frames of a batch.");
            out.push(warning(code, message));
        }
        Ok(out)
    }
}

/// Sends the frames of a batch to the endpoint. Frames of a failed request get `None`, so that the
/// packaged models observe them. Each kind of error adds one warning.
fn observe_remotely(
    models: &Models,
    batch: &[FrameFile],
    out: &mut ObservedBatch,
    cancel: &CancelFlag,
) -> Result<Vec<Option<FrameFindings>>, PerceptionError> {
    let mut findings: Vec<Option<FrameFindings>> = batch.iter().map(|_| None).collect();
    let Some((endpoint, run)) = models.endpoint.as_ref().and_then(|e| Some((e, e.vision_run()?))) else {
        return Ok(findings);
    };
    let mut budget = endpoint.budget();
    for (number, files) in batch.chunks(endpoint.frames_per_request()).enumerate() {
        cancel.check()?;
        let read = |file: &FrameFile| {
            std::fs::read(&file.path)
                .map_err(|e| PerceptionError::internal(format!("reading {}", file.path.display()), e))
        };
        let bytes = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let pictures: Vec<Picture> =
            files.iter().zip(&bytes).map(|(file, jpeg)| Picture { frame_id: &file.frame_id, jpeg }).collect();
        match endpoint.observe_frames(&pictures, &mut budget, cancel) {
            Ok(found) => {
                if found.iter().any(Option::is_none) {
                    let missing = EndpointError::InvalidResponse("a frame is missing".to_owned());
                    add_warning(out, &missing);
                }
                let first = number * endpoint.frames_per_request();
                found.into_iter().zip(&mut findings[first..]).for_each(|(one, slot)| *slot = one);
            }
            Err(error) => {
                cancel.check()?;
                tracing::warn!(%error, frames = files.len(), "a vision request failed; using packaged models");
                add_warning(out, &error);
            }
        }
    }
    out.runs.push(run);
    out.usage.extend(budget.usage());
    Ok(findings)
}

/// Adds the warning of an error, once a kind.
fn add_warning(out: &mut ObservedBatch, error: &EndpointError) {
    if out.warnings.iter().all(|w| w.code != error.code()) {
        let message = format!("The endpoint did not observe all frames ({error}); packaged models did.");
        out.warnings.push(warning(error.code(), message));
    }
}

fn read_jpeg(file: &FrameFile) -> Result<RgbImage, PerceptionError> {
    let failed = |e: std::io::Error| PerceptionError::internal(format!("reading {}", file.path.display()), e);
    let reader = ImageReader::open(&file.path).map_err(failed)?;
    let mut reader = ImageReader::with_format(reader.into_inner(), ImageFormat::Jpeg);
    reader.limits(image::Limits::default());
    let picture = reader.decode().map_err(|e| failed(std::io::Error::other(e)))?;
    Ok(picture.into_rgb8())
}

fn rounded_detection(found: Detection) -> Detection {
    let score = thousandths(found.score.clamp(0.0, 1.0));
    Detection { score, bbox: rounded(found.bbox), ..found }
}

fn rounded(bbox: domain::document::BBox) -> domain::document::BBox {
    let round = |v: f64| (v * 10_000.0).round() / 10_000.0;
    domain::document::BBox { x: round(bbox.x), y: round(bbox.y), w: round(bbox.w), h: round(bbox.h) }
}

fn light_run() -> Run {
    Run::new(Task::Light, Provider::Signal, "luma and named colours", "1")
}
