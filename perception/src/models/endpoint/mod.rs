//! Remote models behind an OpenAI-compatible endpoint (Ollama, vLLM or a hosted service).
//!
//! Remote models recognise more than the packaged ones, but cost time and money and can fail. Their
//! output is untrusted data: it must match the requested schema, may only name frames that were
//! sent, and becomes claims like any other observation. A failed request returns an
//! [`EndpointError`]; the caller falls back to the packaged models and adds a warning. An invalid text
//! or object is left out; a frame that a response leaves out is observed by the packaged models.

mod breaker;
mod budget;
mod chat;
mod client;
mod embeddings;
mod error;
mod names;
mod questions;
mod settings;
mod text;
mod transcription;
mod vision;
mod wire;

use std::sync::Arc;

use domain::{
    document::{Provider, Run, Task},
    language::{Embedder, Translator, Writer},
};

use crate::CancelFlag;
use crate::observation::{FrameFindings, TranscriptSegment};
use budget::Spending;
use chat::ChatParameters;
use client::Client;

pub(crate) use budget::summed;
pub use budget::{Budget, Usage};
pub use embeddings::EMBEDDINGS_RUN;
pub use error::EndpointError;
pub use settings::EndpointSettings;

/// Id of the vision run.
pub const VISION_RUN: &str = "run_endpoint_vision";
/// Id of the speech run.
pub const SPEECH_RUN: &str = "run_endpoint_speech";

/// A frame that is sent to the vision model.
pub struct Picture<'a> {
    /// Id of the frame, by which the response refers to it.
    pub frame_id: &'a str,
    /// JPEG bytes.
    pub jpeg: &'a [u8],
}

/// A configured endpoint.
pub struct Endpoint {
    settings: EndpointSettings,
    client: Client,
    parameters: ChatParameters,
}

impl Endpoint {
    /// Creates the client. No request is sent.
    ///
    /// # Errors
    /// Returns a message if the base URL or the TLS configuration is invalid.
    pub fn new(settings: &EndpointSettings) -> Result<Endpoint, String> {
        let (client, parameters) = (Client::new(settings)?, ChatParameters::default());
        Ok(Endpoint { client, parameters, settings: settings.clone() })
    }

    /// Returns the vision run for a document's `runs[]`, or `None` without a vision model.
    pub fn vision_run(&self) -> Option<Run> {
        self.settings.vision_model.as_deref().map(|model| run(VISION_RUN, Task::Vision, model))
    }

    /// Returns the speech run for a document's `runs[]`, or `None` without a transcription model.
    pub fn speech_run(&self) -> Option<Run> {
        self.settings.transcription_model.as_deref().map(|model| run(SPEECH_RUN, Task::Speech, model))
    }

    /// Returns the embedding model, if one is configured.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        let (settings, client) = (self.settings.clone(), self.client.clone());
        let model = settings.embedding_model.clone()?;
        Some(Arc::new(embeddings::EmbeddingModel { model, settings, client }))
    }

    /// Returns the model that phrases answers, if one is configured.
    pub fn writer(&self) -> Option<Arc<dyn Writer>> {
        let (settings, client) = (self.settings.clone(), self.client.clone());
        let model = settings.text_model.clone()?;
        let parameters = self.parameters.clone();
        Some(Arc::new(text::TextModel { model, settings, client, parameters }))
    }

    /// Returns the model that translates questions, if one is configured.
    pub fn translator(&self) -> Option<Arc<dyn Translator>> {
        let settings = self.settings.clone();
        let model = settings.question_model.clone()?;
        let timeout = std::time::Duration::from_millis(settings.question_timeout_ms);
        let client = self.client.for_interactive(timeout).with_own_circuit();
        let parameters = self.parameters.clone();
        Some(Arc::new(questions::QuestionModel { model, settings, client, parameters }))
    }

    /// Returns the number of frames per request.
    pub fn frames_per_request(&self) -> usize {
        self.settings.frames_a_request.max(1)
    }

    /// Returns a fresh budget for one batch of frames or one sound.
    pub fn budget(&self) -> Budget {
        Budget::new(&self.settings)
    }

    /// Reads the texts and detects the objects in frames. Returns one entry per frame, in order; `None`
    /// for a frame about which the response says nothing usable. Blocks.
    ///
    /// # Errors
    /// Returns an error if there is no usable response.
    pub fn observe_frames(
        &self,
        pictures: &[Picture],
        budget: &mut Budget,
        cancel: &CancelFlag,
    ) -> Result<Vec<Option<FrameFindings>>, EndpointError> {
        let model = self.settings.vision_model.as_deref().ok_or(EndpointError::NotConfigured)?;
        let request = vision::request(model, self.settings.max_tokens, pictures);
        let mut spending = Spending::new(budget, VISION_RUN, self.settings.max_tokens);
        let response = self.parameters.post(&self.client, &request, cancel, &mut spending)?;
        vision::parse_response(&wire::parse(response)?, pictures)
    }

    /// Transcribes mono sound of 16,000 samples per second. Blocks.
    ///
    /// # Errors
    /// Returns an error if there is no usable response.
    pub fn transcribe(
        &self,
        pcm16k: &[f32],
        language: &str,
        budget: &mut Budget,
        cancel: &CancelFlag,
    ) -> Result<Vec<TranscriptSegment>, EndpointError> {
        let model = self.settings.transcription_model.as_deref().ok_or(EndpointError::NotConfigured)?;
        let (content_type, body) = transcription::request(model, language, pcm16k);
        let mut spending = Spending::new(budget, SPEECH_RUN, 0);
        let response =
            self.client.post("audio/transcriptions", &content_type, body, cancel, &mut spending)?;
        transcription::parse_response(&wire::parse(response)?, pcm16k.len())
    }
}

fn run(id: &str, task: Task, model: &str) -> Run {
    Run { id: id.to_owned(), ..Run::new(task, Provider::Endpoint, model, "as served") }
}
