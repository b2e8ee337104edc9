//! Models behind an OpenAI-compatible address (Ollama, vLLM, a hosted one): they see frames and hear sound
//! better than small models can, cost time and money, and fail.
//!
//! What they answer is data to be checked: it must fit the schema it was asked for, name only frames that
//! were sent, and becomes claims like any other. Each failure is a [`EndpointError`]; whoever asked falls back to
//! the packaged models and says so in a warning. No answer is ever taken in part.

mod budget;
mod client;
mod embeddings;
mod error;
mod settings;
mod text;
mod transcription;
mod vision;
mod wire;

use std::sync::Arc;

use domain::{
    document::Run,
    language::{Embedder, Writer},
};

use crate::CancelFlag;
use crate::observation::{FrameFindings, TranscriptSegment};
use client::Client;

pub(crate) use budget::summed;
pub use budget::{Budget, Usage};
pub use embeddings::EMBEDDINGS_RUN;
pub use error::EndpointError;
pub use settings::EndpointSettings;

/// Run of what an endpoint saw.
pub const VISION_RUN: &str = "run_endpoint_vision";
/// Run of what an endpoint heard.
pub const SPEECH_RUN: &str = "run_endpoint_speech";

/// A frame as it is sent.
pub struct Picture<'a> {
    /// The frame's id, by which the answer names it.
    pub frame_id: &'a str,
    /// Its bytes.
    pub jpeg: &'a [u8],
}

/// One configured endpoint.
pub struct Endpoint {
    settings: EndpointSettings,
    client: Client,
}

impl Endpoint {
    /// Makes the client; nothing is sent yet.
    ///
    /// # Errors
    /// In words, when the address or the settings cannot be used.
    pub fn new(settings: &EndpointSettings) -> Result<Endpoint, String> {
        Ok(Endpoint { client: Client::new(settings)?, settings: settings.clone() })
    }

    /// What to write into a document's `runs[]` for what was seen; none when no model is to look.
    pub fn vision_run(&self) -> Option<Run> {
        self.settings.vision_model.as_deref().map(|model| run(VISION_RUN, "vision", model))
    }

    /// The same for what was heard.
    pub fn speech_run(&self) -> Option<Run> {
        self.settings.transcription_model.as_deref().map(|model| run(SPEECH_RUN, "speech", model))
    }

    /// What turns texts into vectors; none when no model is to.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        let (settings, client) = (self.settings.clone(), self.client.clone());
        let model = settings.embedding_model.clone()?;
        Some(Arc::new(embeddings::VectorModel { model, settings, client }))
    }

    /// What words answers; none when no model is to.
    pub fn writer(&self) -> Option<Arc<dyn Writer>> {
        let (settings, client) = (self.settings.clone(), self.client.clone());
        let model = settings.text_model.clone()?;
        Some(Arc::new(text::TextModel { model, settings, client }))
    }

    /// How many frames go into one request.
    pub fn frames_per_request(&self) -> usize {
        self.settings.frames_a_request.max(1)
    }

    /// Money that one batch of frames, or one sound, may cost.
    pub fn budget(&self) -> Budget {
        Budget::new(&self.settings)
    }

    /// What is in these frames, one sight for each, in their order. Blocks.
    ///
    /// # Errors
    /// Why there is no answer that can be used.
    pub fn observe_frames(
        &self,
        pictures: &[Picture],
        budget: &mut Budget,
        cancel: &CancelFlag,
    ) -> Result<Vec<FrameFindings>, EndpointError> {
        let model = self.settings.vision_model.as_deref().ok_or(EndpointError::NotConfigured)?;
        budget.allow(self.settings.max_tokens)?;
        let request = vision::request(model, self.settings.max_tokens, pictures);
        let response = self.client.post_json("chat/completions", &request, cancel)?;
        let response: wire::Completion = wire::parse(response)?;
        budget.add(VISION_RUN, response.usage.as_ref());
        vision::parse_response(&response, pictures)
    }

    /// What is said in mono sound of 16,000 samples a second. Blocks.
    ///
    /// # Errors
    /// Why there is no answer that can be used.
    pub fn transcribe(
        &self,
        pcm16k: &[f32],
        language: &str,
        budget: &mut Budget,
        cancel: &CancelFlag,
    ) -> Result<Vec<TranscriptSegment>, EndpointError> {
        let model = self.settings.transcription_model.as_deref().ok_or(EndpointError::NotConfigured)?;
        budget.allow(0)?;
        let (content_type, body) = transcription::request(model, language, pcm16k);
        let response = self.client.post("audio/transcriptions", &content_type, body, cancel)?;
        let response: wire::Transcription = wire::parse(response)?;
        budget.add(SPEECH_RUN, response.usage.as_ref());
        transcription::parse_response(&response, pcm16k.len())
    }
}

fn run(id: &str, task: &str, model: &str) -> Run {
    Run {
        id: id.to_owned(),
        task: task.to_owned(),
        provider: "endpoint".to_owned(),
        model: model.to_owned(),
        version: "as served".to_owned(),
        weights_sha256: None,
        parameters: std::collections::BTreeMap::new(),
        can_know: Vec::new(),
    }
}
