//! Settings of an endpoint.

use domain::Secret;
use serde::{Deserialize, Serialize};

/// An OpenAI-compatible server, and what is asked of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EndpointSettings {
    /// Where it is, up to and with the version: `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// Sent as a bearer token, where there is one.
    pub api_key: Option<Secret>,
    /// The model that looks at frames; none leaves looking to the packaged models.
    pub vision_model: Option<String>,
    /// The model that listens; none leaves listening to the packaged model.
    pub transcription_model: Option<String>,
    /// The model that turns texts into vectors, so that spaces are found by meaning; none finds them by words alone.
    pub embedding_model: Option<String>,
    /// Numbers of a vector, for models that can give shorter ones; left to the model when absent.
    pub embedding_dimensions: Option<u32>,
    /// Cosine below which two texts have nothing to do with one another, by the model of vectors.
    pub least_similarity: f32,
    /// How long a search waits for the vector of its query before it goes on with words alone, in milliseconds.
    pub query_timeout_ms: u64,
    /// The model that words answers to questions; none gives them as they are made.
    pub text_model: Option<String>,
    /// Most tokens of a worded response.
    pub text_max_tokens: u32,
    /// How long a question waits for its answer to be worded before it is given as it was made, in milliseconds.
    pub text_timeout_ms: u64,
    /// Frames in one request.
    pub frames_a_request: usize,
    /// Most tokens of one response.
    pub max_tokens: u32,
    /// How long one request may take.
    pub timeout_seconds: u64,
    /// How often a request is made that was refused for its rate or by a error of the server.
    pub tries: u32,
    /// Longest wait between two tries, whatever the server asks for, in milliseconds.
    pub longest_wait_ms: u64,
    /// Price of a million tokens that are sent, in cents.
    pub prompt_cents_a_million: u64,
    /// Price of a million tokens of answers, in cents.
    pub completion_cents_a_million: u64,
    /// Most that one batch of frames, the sound of a scan, the vectors of a space or a worded answer may cost, in
    /// cents; 0 means no bound. A scan costs at most this times its batches.
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
