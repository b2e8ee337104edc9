//! Models: what reads text, hears speech and recognises objects.
//!
//! The stages of a scan see three traits and nothing of how they are met. What is met depends on the
//! weights found on this machine: whatever is missing is named in [`Models::absent`], so that a document
//! says what nobody looked at instead of claiming it was not there.

pub mod endpoint;
mod error;
pub mod packaged;
mod settings;

use std::sync::Arc;

use domain::document::{BBox, Run, Warning};
use image::RgbImage;

pub use error::ModelError;
pub use settings::Settings;

use crate::signal::Descriptor;

/// A line of text that was read in a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// As it was read, words separated by one space; never empty.
    pub text: String,
    /// Mean probability of its characters, 0 to 1.
    pub confidence: f32,
    /// Where in the frame, upright.
    pub bbox: BBox,
    /// Height of the line (from below its descenders to above its capitals) in pixels of the frame given.
    pub pixel_height: f32,
}

/// Reads the text in a picture.
pub trait TextReader: Send + Sync {
    /// What to write into a document's `runs[]`.
    fn run(&self) -> Run;

    /// The lines of text in a frame, from top to bottom, then from left to right.
    ///
    /// # Errors
    /// When the model cannot run on this frame; a frame without text is an empty list.
    fn read(&self, frame: &RgbImage) -> Result<Vec<Reading>, ModelError>;
}

/// A sentence (or a piece of one) that was heard.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Start in milliseconds of the sound given.
    pub start_ms: u64,
    /// End in milliseconds, later than the start.
    pub end_ms: u64,
    /// What was said; never empty.
    pub text: String,
    /// Mean probability of its tokens, 0 to 1.
    pub confidence: f32,
}

/// Writes down what is said in a sound.
pub trait SpeechRecognizer: Send + Sync {
    /// What to write into a document's `runs[]`.
    fn run(&self) -> Run;

    /// Whether it understands this language (BCP 47).
    fn hears(&self, language: &str) -> bool;

    /// What is said in mono sound of 16,000 samples a second, each from −1 to 1, in order of time.
    /// `progress` is told the share done, 0 to 1, so that a long listen can show that it is alive.
    ///
    /// # Errors
    /// When the model cannot run; a sound in which nobody speaks is an empty list.
    fn listen(&self, pcm16k: &[f32], progress: &dyn Fn(f32)) -> Result<Vec<Heard>, ModelError>;
}

/// A thing that may be in a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// Its class, one of the run's `can_know`.
    pub label: String,
    /// 0 to 1; not a probability: how far to trust it differs from class to class.
    pub score: f32,
    /// Where in the frame.
    pub bbox: BBox,
}

/// What a detector makes of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Looked {
    /// The things in it, the surest first.
    pub things: Vec<Detection>,
    /// What the whole picture is like, where the model can say so.
    pub descriptor: Option<Descriptor>,
}

/// Finds things of known classes in a picture.
pub trait ObjectDetector: Send + Sync {
    /// What to write into a document's `runs[]`; `can_know` lists its classes.
    fn run(&self) -> Run;

    /// The things in a frame, and what the frame is like.
    ///
    /// # Errors
    /// When the model cannot run on this frame; a frame without such things is an empty list.
    fn detect(&self, frame: &RgbImage) -> Result<Looked, ModelError>;
}

/// The models of this process.
#[derive(Clone, Default)]
pub struct Models {
    /// Reads text.
    pub text: Option<Arc<dyn TextReader>>,
    /// Hears speech.
    pub speech: Option<Arc<dyn SpeechRecognizer>>,
    /// Finds things.
    pub objects: Option<Arc<dyn ObjectDetector>>,
    /// Models behind an address, asked before the others where it is configured.
    pub endpoint: Option<Arc<endpoint::Endpoint>>,
    /// One warning for each model that is not there, with the reason.
    pub absent: Vec<Warning>,
}

impl Models {
    /// Loads what can be loaded. Never fails: a model whose weights are missing, or are not the bytes that
    /// were measured, becomes a warning (`TEXT_NOT_LOOKED_AT`, `SPEECH_NOT_LISTENED_TO`,
    /// `OBJECTS_NOT_LOOKED_AT`). Takes about a second and 300 MB; do it once in a process.
    pub fn load(settings: &Settings) -> Models {
        let mut models = packaged::load(settings);
        if let Some(endpoint) = &settings.endpoint {
            match endpoint::Endpoint::new(endpoint) {
                Ok(endpoint) => models.endpoint = Some(Arc::new(endpoint)),
                Err(reason) => models.absent.push(Warning {
                    code: "ENDPOINT_NOT_USABLE".to_owned(),
                    message: format!(
                        "The endpoint cannot be used ({reason}); the packaged models look and listen."
                    ),
                }),
            }
        }
        models
    }

    /// No models at all, and no warnings: for tests and for what needs none.
    pub fn none() -> Models {
        Models::default()
    }
}
