//! Ports for language models: text embeddings and text generation.
//!
//! Models are called over the network, cost money and can fail, so every caller has a fallback
//! without a model. The methods of both traits block; call them on a blocking thread.

use std::sync::Arc;

use serde_json::Value;

/// Language models of this process. None by default.
#[derive(Clone, Default)]
pub struct LanguageModels {
    /// Computes embeddings of texts.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Computes the sentence embeddings with which answers are read. It runs in this process, because
    /// it receives whole documents, and its similarities are calibrated.
    pub sentences: Option<Arc<dyn Embedder>>,
    /// Writes short texts.
    pub writer: Option<Arc<dyn Writer>>,
    /// Translates questions into typed queries.
    pub translator: Option<Arc<dyn Translator>>,
}

/// Usage of a model by one call, for billing and metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// Number of requests that returned a response.
    pub requests: u64,
    /// Number of tokens sent, as the server counts them.
    pub prompt_tokens: u64,
    /// Number of tokens received.
    pub completion_tokens: u64,
    /// Price of the tokens by the configured prices, in millionths of a cent.
    pub microcents: u64,
}

/// A language model returned no response, or an unusable one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {reason}")]
pub struct LanguageModelError {
    /// Code for machines, for example `ENDPOINT_TIMEOUT`.
    pub code: &'static str,
    /// Explanation for people.
    pub reason: String,
}

/// Priority of an embedding request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// A person is waiting: the request times out early.
    Interactive,
    /// Nobody is waiting: the request may take long and be retried.
    Background,
}

/// Computes embeddings: vectors that are close to each other for texts of similar meaning.
pub trait Embedder: Send + Sync {
    /// Returns the name of the model. Vectors of different models cannot be compared.
    fn model(&self) -> &str;

    /// Returns the cosine similarity below which this model's vectors are unrelated.
    fn least_similarity(&self) -> f32;

    /// Returns one vector for each text, in order. All have one length, and none is zero.
    ///
    /// # Errors
    /// Returns an error if the model does not return every vector.
    fn embed(
        &self,
        texts: &[String],
        priority: Priority,
    ) -> Result<(Vec<Vec<f32>>, ModelUsage), LanguageModelError>;
}

/// Writes short texts about known facts.
pub trait Writer: Send + Sync {
    /// Returns the name of the model.
    fn model(&self) -> &str;

    /// Writes a short text about `material`, following the instructions in `task`. The caller must
    /// verify every statement of the text.
    ///
    /// # Errors
    /// Returns an error if the model returns no usable text.
    fn write(&self, task: &str, material: &str) -> Result<(String, ModelUsage), LanguageModelError>;
}

/// Translates short texts into values of a closed JSON Schema.
pub trait Translator: Send + Sync {
    /// Returns the name of the model.
    fn model(&self) -> &str;

    /// Translates `text` into a value of `schema`, following the instructions in `task`. Returns
    /// within a bounded time. The caller must validate the value.
    ///
    /// # Errors
    /// Returns an error if the model returns no JSON value in time.
    fn translate(
        &self,
        task: &str,
        schema: &Value,
        text: &str,
    ) -> Result<(Value, ModelUsage), LanguageModelError>;
}
