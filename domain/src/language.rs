//! Models for texts, as ports: whoever wires a process says who answers, if anyone does.
//!
//! They are asked over a network, cost money and fail, so whoever asks can go on without an answer. Both traits block:
//! call them on threads that may.

use std::sync::Arc;

/// Who answers in this process; nobody by default.
#[derive(Clone, Default)]
pub struct LanguageModels {
    /// Turns texts into vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Words answers.
    pub writer: Option<Arc<dyn Writer>>,
}

/// What a request used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Requests that were answered.
    pub requests: u64,
    /// Tokens sent, as the server counts them.
    pub prompt_tokens: u64,
    /// Tokens answered.
    pub completion_tokens: u64,
    /// Their price by the configured prices, in millionths of a cent.
    pub microcents: u64,
}

/// Why a model gave nothing that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {reason}")]
pub struct NoAnswer {
    /// For machines: `ENDPOINT_TIMEOUT` and the like.
    pub code: &'static str,
    /// For people.
    pub reason: String,
}

/// Who waits for vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// A person: better no vectors than late ones.
    Someone,
    /// Nobody: it may take its time and be tried again.
    Nobody,
}

/// Texts as vectors: what means the same lies close together.
pub trait Embedder: Send + Sync {
    /// The model. Vectors of different models say nothing of one another.
    fn model(&self) -> &str;

    /// Cosine below which two texts have nothing to do with one another, by this model.
    fn least_similarity(&self) -> f32;

    /// One vector for each text, in their order, all of one length and none of them zero.
    ///
    /// # Errors
    /// Why there are none; never some.
    fn embed(&self, texts: &[String], haste: Haste) -> Result<(Vec<Vec<f32>>, Used), NoAnswer>;
}

/// Puts into words what is already known.
pub trait Writer: Send + Sync {
    /// The model.
    fn model(&self) -> &str;

    /// A short text about `material`, as `task` asks for it. Nothing of it may be believed unchecked.
    ///
    /// # Errors
    /// Why there is none.
    fn write(&self, task: &str, material: &str) -> Result<(String, Used), NoAnswer>;
}
