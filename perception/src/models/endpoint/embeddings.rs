//! Embeddings: builds the request and validates the response.

use std::time::Duration;

use domain::language::{Embedder, LanguageModelError, ModelUsage, Priority};
use serde_json::{Value, json};

use super::{
    Budget, EndpointError, EndpointSettings,
    budget::Spending,
    client::Client,
    wire::{self, Embeddings},
};
use crate::CancelFlag;

/// Run id under which the usage for the vectors of a space is recorded.
pub const EMBEDDINGS_RUN: &str = "run_endpoint_embeddings";
/// Maximum number of texts per request.
const MAX_TEXTS_PER_REQUEST: usize = 64;
/// Time limit for one background request with its retries. It is short because saving a scan waits
/// for the request.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum number of dimensions of a vector.
const MAX_DIMENSIONS: usize = 4096;

/// Embedding model of an endpoint.
pub(super) struct EmbeddingModel {
    pub(super) model: String,
    pub(super) settings: EndpointSettings,
    pub(super) client: Client,
}

impl Embedder for EmbeddingModel {
    fn model(&self) -> &str {
        &self.model
    }

    fn least_similarity(&self) -> f32 {
        self.settings.least_similarity
    }

    fn embed(
        &self,
        texts: &[String],
        priority: Priority,
    ) -> Result<(Vec<Vec<f32>>, ModelUsage), LanguageModelError> {
        let client = match priority {
            Priority::Interactive => {
                self.client.for_interactive(Duration::from_millis(self.settings.query_timeout_ms))
            }
            Priority::Background => self.client.with_timeout(BACKGROUND_TIMEOUT),
        };
        let mut budget = Budget::new(&self.settings);
        let mut out: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(MAX_TEXTS_PER_REQUEST) {
            out.extend(self.batch(&client, batch, &mut budget)?);
        }
        if out.iter().any(|vector| vector.len() != out[0].len()) {
            return Err(invalid("vectors of different lengths").into());
        }
        Ok((out, budget.used()))
    }
}

impl EmbeddingModel {
    fn batch(
        &self,
        client: &Client,
        texts: &[String],
        budget: &mut Budget,
    ) -> Result<Vec<Vec<f32>>, EndpointError> {
        let mut spending = Spending::new(budget, EMBEDDINGS_RUN, 0);
        let response =
            client.post_json("embeddings", &self.request(texts), &CancelFlag::new(), &mut spending)?;
        parse_response(wire::parse(response)?, texts.len(), self.settings.embedding_dimensions)
    }

    fn request(&self, texts: &[String]) -> Value {
        let mut request = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        if let Some(dimensions) = self.settings.embedding_dimensions {
            request["dimensions"] = dimensions.into();
        }
        request
    }
}

/// Returns the vectors of a response in the order of the texts, or an error if any is invalid.
fn parse_response(
    response: Embeddings,
    texts: usize,
    dimensions: Option<u32>,
) -> Result<Vec<Vec<f32>>, EndpointError> {
    let mut data = response.data;
    data.sort_by_key(|one| one.index);
    if data.len() != texts || data.iter().enumerate().any(|(at, one)| one.index != at) {
        return Err(invalid("the number of vectors differs"));
    }
    for one in &data {
        let length = one.embedding.len();
        let is_requested = dimensions.is_none_or(|dimensions| dimensions as usize == length);
        if !is_requested || length == 0 || length > MAX_DIMENSIONS || length != data[0].embedding.len() {
            return Err(invalid(&format!("a vector has {length} dimensions")));
        }
        let square: f32 = one.embedding.iter().map(|x| x * x).sum();
        if !square.is_normal() {
            return Err(invalid("a vector is zero or not finite"));
        }
    }
    Ok(data.into_iter().map(|one| one.embedding).collect())
}

fn invalid(reason: &str) -> EndpointError {
    EndpointError::InvalidResponse(reason.to_owned())
}
