//! Models behind an OpenAI-compatible address (Ollama, vLLM, a hosted one): they see frames and hear sound
//! better than small models can, cost time and money, and fail.
//!
//! What they answer is data to be checked: it must fit the schema it was asked for, name only frames that
//! were sent, and becomes claims like any other. Each failure is a [`Fault`]; whoever asked falls back to
//! the packaged models and says so in a warning. No answer is ever taken in part.

mod client;
mod embeddings;
mod fault;
mod settings;
mod spending;
mod transcription;
mod vision;
mod wire;
mod writing;

use std::sync::Arc;

use domain::{
    document::{Provider, Run, Task},
    language::{Embedder, Writer},
};

use crate::CancelFlag;
use crate::models::Heard;
use crate::observe::Seen;
use client::Client;

pub use embeddings::EMBEDDINGS_RUN;
pub use fault::Fault;
pub use settings::EndpointSettings;
pub(crate) use spending::summed;
pub use spending::{Spending, Usage};

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

/// What an endpoint saw in a frame: the texts and things of a [`Seen`], and nothing else of it.
pub type Sight = (Vec<crate::observe::ReadText>, Vec<crate::observe::SeenThing>);

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
        self.settings.vision_model.as_deref().map(|model| run(VISION_RUN, Task::Vision, model))
    }

    /// The same for what was heard.
    pub fn speech_run(&self) -> Option<Run> {
        self.settings.transcription_model.as_deref().map(|model| run(SPEECH_RUN, Task::Speech, model))
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
        Some(Arc::new(writing::TextModel { model, settings, client }))
    }

    /// How many frames go into one request.
    pub fn frames_at_once(&self) -> usize {
        self.settings.frames_a_request.max(1)
    }

    /// Money that one batch of frames, or one sound, may cost.
    pub fn spending(&self) -> Spending {
        Spending::new(&self.settings)
    }

    /// What is in these frames, one sight for each, in their order. Blocks.
    ///
    /// # Errors
    /// Why there is no answer that can be used.
    pub fn see(
        &self,
        pictures: &[Picture],
        spending: &mut Spending,
        cancel: &CancelFlag,
    ) -> Result<Vec<Sight>, Fault> {
        let model = self.settings.vision_model.as_deref().ok_or(Fault::NotConfigured)?;
        spending.allow(self.settings.max_tokens)?;
        let request = vision::request(model, self.settings.max_tokens, pictures);
        let answer = self.client.post_json("chat/completions", &request, cancel)?;
        let answer: wire::Completion = wire::typed(answer)?;
        spending.add(VISION_RUN, answer.usage.as_ref());
        vision::sights(&answer, pictures)
    }

    /// What is said in mono sound of 16,000 samples a second. Blocks.
    ///
    /// # Errors
    /// Why there is no answer that can be used.
    pub fn hear(
        &self,
        pcm16k: &[f32],
        language: &str,
        spending: &mut Spending,
        cancel: &CancelFlag,
    ) -> Result<Vec<Heard>, Fault> {
        let model = self.settings.transcription_model.as_deref().ok_or(Fault::NotConfigured)?;
        spending.allow(0)?;
        let (content_type, body) = transcription::request(model, language, pcm16k);
        let answer = self.client.post("audio/transcriptions", &content_type, body, cancel)?;
        let answer: wire::Transcription = wire::typed(answer)?;
        spending.add(SPEECH_RUN, answer.usage.as_ref());
        transcription::heard(&answer, pcm16k.len())
    }
}

fn run(id: &str, task: Task, model: &str) -> Run {
    Run { id: id.to_owned(), ..Run::new(task, Provider::Endpoint, model, "as served") }
}

/// Puts what an endpoint saw in the place of what the packaged models would have.
pub(crate) fn put(seen: &mut Seen, (readings, detections): Sight) {
    seen.readings = readings;
    seen.detections = detections;
    seen.seen_by = Some(VISION_RUN.to_owned());
}
