//! Settings of an endpoint.

use domain::Secret;
use serde::{Deserialize, Serialize};

/// An OpenAI-compatible endpoint and the models to use there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EndpointSettings {
    /// Base URL including the version, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// API key, sent as a bearer token.
    pub api_key: Option<Secret>,
    /// Vision model. When absent, the packaged models observe frames.
    pub vision_model: Option<String>,
    /// Transcription model. When absent, the packaged model transcribes speech.
    pub transcription_model: Option<String>,
    /// Embedding model for semantic search. When absent, search uses words alone.
    pub embedding_model: Option<String>,
    /// Number of dimensions to request from the embedding model. When absent, the model decides.
    pub embedding_dimensions: Option<u32>,
    /// Cosine similarity below which two texts are unrelated. The right value depends on the
    /// embedding model.
    pub least_similarity: f32,
    /// Time limit for embedding a search query, in milliseconds. When it expires, the search uses
    /// words alone.
    pub query_timeout_ms: u64,
    /// Language model that phrases the answers to questions. When absent, answers keep their
    /// built-in wording.
    pub text_model: Option<String>,
    /// Maximum number of tokens of a phrased answer.
    pub text_max_tokens: u32,
    /// Time limit for phrasing an answer, in milliseconds. When it expires, the answer keeps its
    /// built-in wording.
    pub text_timeout_ms: u64,
    /// Language model that translates questions which the built-in parser cannot answer completely,
    /// also from other languages. Receives the question alone. When absent, only English questions
    /// are answered.
    pub question_model: Option<String>,
    /// Maximum number of tokens of a translated question.
    pub question_max_tokens: u32,
    /// Time limit for translating a question, in milliseconds. When it expires, the answer of the
    /// built-in parser is returned.
    pub question_timeout_ms: u64,
    /// Number of frames per vision request.
    pub frames_a_request: usize,
    /// Maximum number of tokens of a vision response.
    pub max_tokens: u32,
    /// Time limit of one request, in seconds.
    pub timeout_seconds: u64,
    /// Maximum number of attempts for a request that fails with status 429 or 5xx.
    pub tries: u32,
    /// Longest wait between two attempts, in milliseconds. It also limits the server's
    /// `Retry-After`.
    pub longest_wait_ms: u64,
    /// Price per million prompt tokens, in cents.
    pub prompt_cents_a_million: u64,
    /// Price per million completion tokens, in cents.
    pub completion_cents_a_million: u64,
    /// Spending limit in cents for one batch of frames, the sound of a scan, the vectors of a space
    /// or one phrased answer; 0 means no limit. A scan costs at most this amount for each of its
    /// batches and its sound.
    pub max_cents_a_batch: u64,
}

impl Default for EndpointSettings {
    fn default() -> EndpointSettings {
        EndpointSettings {
            base_url: String::new(),
            api_key: None,
            vision_model: None,
            transcription_model: None,
            embedding_model: None,
            embedding_dimensions: None,
            least_similarity: 0.3,
            query_timeout_ms: 1500,
            text_model: None,
            text_max_tokens: 400,
            text_timeout_ms: 5000,
            question_model: None,
            question_max_tokens: 800,
            question_timeout_ms: 4000,
            frames_a_request: 4,
            max_tokens: 4000,
            timeout_seconds: 120,
            tries: 3,
            longest_wait_ms: 10_000,
            prompt_cents_a_million: 0,
            completion_cents_a_million: 0,
            max_cents_a_batch: 0,
        }
    }
}
