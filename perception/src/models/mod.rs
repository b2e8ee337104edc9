//! Models that read text, transcribe speech and detect objects.
//!
//! The stages of a scan use three traits and don't depend on their implementations. The weights
//! that are installed on this machine decide which models exist. [`Models::absent`] holds a warning
//! for each missing model, so that a document says what was not examined.

pub mod endpoint;
mod error;
pub mod packaged;
mod settings;

use std::sync::Arc;

use domain::{
    document::{Run, Warning},
    language::Embedder,
};
use image::RgbImage;

pub use error::ModelError;
pub use settings::{ExecutionProvider, OnnxruntimeSettings, RuntimeKind, Settings};

use crate::observation::{Detection, TextReading, TranscriptSegment};
use crate::signal::Descriptor;

/// Reads text in frames.
pub trait TextReader: Send + Sync {
    /// Returns the entry for a document's `runs[]`.
    fn run(&self) -> Run;

    /// Returns the lines of text in a frame, from top to bottom, then from left to right. The list
    /// is empty for a frame without text.
    ///
    /// # Errors
    /// Returns an error if the model cannot run on this frame.
    fn read(&self, frame: &RgbImage) -> Result<Vec<TextReading>, ModelError>;
}

/// Transcribes speech.
pub trait SpeechRecognizer: Send + Sync {
    /// Returns the entry for a document's `runs[]`.
    fn run(&self) -> Run;

    /// Returns true if the model understands this language (a BCP 47 tag).
    fn supports_language(&self, language: &str) -> bool;

    /// Transcribes mono sound of 16,000 samples per second, each from −1 to 1. Segments are in
    /// order of time; the list is empty for a sound without speech. Calls `progress` with the share
    /// done, 0 to 1.
    ///
    /// # Errors
    /// Returns an error if the model cannot run.
    fn transcribe(
        &self,
        pcm16k: &[f32],
        progress: &dyn Fn(f32),
    ) -> Result<Vec<TranscriptSegment>, ModelError>;
}

/// Result of a detector for one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DetectorOutput {
    /// Detected objects, by descending score.
    pub detections: Vec<Detection>,
    /// Global descriptor of the frame, where the model computes one.
    pub descriptor: Option<Descriptor>,
}

/// Detects objects of known classes in frames.
pub trait ObjectDetector: Send + Sync {
    /// Returns the entry for a document's `runs[]`; `can_know` lists the classes.
    fn run(&self) -> Run;

    /// Detects the objects in a frame and describes the frame.
    ///
    /// # Errors
    /// Returns an error if the model cannot run on this frame.
    fn detect(&self, frame: &RgbImage) -> Result<DetectorOutput, ModelError>;
}

/// Recognizes furniture in regions of frames.
pub trait FurnitureClassifier: Send + Sync {
    /// Returns the entry for a document's `runs[]`; `can_know` lists the classes.
    fn run(&self) -> Run;

    /// Returns the furniture that regions of a frame show. The score is the probability of the class,
    /// and the box is the region, which may be larger than the object.
    ///
    /// # Errors
    /// Returns an error if the model cannot run on this frame.
    fn classify(&self, frame: &RgbImage) -> Result<Vec<Detection>, ModelError>;
}

/// The models that this process has loaded.
#[derive(Clone, Default)]
pub struct Models {
    /// Text reader.
    pub text: Option<Arc<dyn TextReader>>,
    /// Speech recognizer.
    pub speech: Option<Arc<dyn SpeechRecognizer>>,
    /// Object detector.
    pub objects: Option<Arc<dyn ObjectDetector>>,
    /// Classifier of furniture.
    pub furniture: Option<Arc<dyn FurnitureClassifier>>,
    /// Packaged sentence embeddings.
    pub sentences: Option<Arc<dyn Embedder>>,
    /// Endpoint with remote models; if configured, it is used before the packaged models.
    pub endpoint: Option<Arc<endpoint::Endpoint>>,
    /// One warning per missing model, with the reason.
    pub absent: Vec<Warning>,
}

impl Models {
    /// Loads all models that can be loaded. A model whose weights are missing or have the wrong
    /// hash becomes a warning (`TEXT_NOT_LOOKED_AT`, `SPEECH_NOT_LISTENED_TO`,
    /// `OBJECTS_NOT_LOOKED_AT`, `FURNITURE_NOT_LOOKED_AT`). Takes about one second and 300 MB, so call it once per process.
    pub fn load(settings: &Settings) -> Models {
        let mut models = packaged::load(settings);
        if let Some(endpoint) = &settings.endpoint {
            match endpoint::Endpoint::new(endpoint) {
                Ok(endpoint) => models.endpoint = Some(Arc::new(endpoint)),
                Err(reason) => models.absent.push(Warning {
                    code: "ENDPOINT_NOT_USABLE".to_owned(),
                    message: format!(
                        "The endpoint cannot be used ({reason}). The packaged models are used instead."
                    ),
                }),
            }
        }
        models
    }

    /// Returns the model for sentence embeddings: that of the endpoint, or else the packaged one.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        let remote = self.endpoint.as_ref().and_then(|endpoint| endpoint.embedder());
        remote.or_else(|| self.sentences.clone())
    }

    /// Returns no models and no warnings, for tests and for callers that need no models.
    pub fn none() -> Models {
        Models::default()
    }
}
