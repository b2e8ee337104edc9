//! Texts as vectors: the question, and the check of the answer.

use std::time::Duration;

use domain::language::{Embedder, NoAnswer, Priority, Used};
use serde_json::{Value, json};

use super::{
    EndpointSettings, Fault, Spending,
    client::Client,
    wire::{self, Embeddings},
};
use crate::CancelFlag;

/// Run of the vectors of a space, in what is recorded of their cost.
pub const EMBEDDINGS_RUN: &str = "run_endpoint_embeddings";
/// Texts in one request.
const BATCH: usize = 64;
/// Longest time for one request and its tries where nobody waits: saving a scan must not look dead meanwhile.
const LONGEST: Duration = Duration::from_secs(15);
/// Most numbers of a vector.
const MOST_DIMENSIONS: usize = 4096;

/// The model of vectors of an endpoint.
pub(super) struct VectorModel {
    pub(super) model: String,
    pub(super) settings: EndpointSettings,
    pub(super) client: Client,
}

impl Embedder for VectorModel {
    fn model(&self) -> &str {
        &self.model
    }

    fn least_similarity(&self) -> f32 {
        self.settings.least_similarity
    }

    fn embed(&self, texts: &[String], priority: Priority) -> Result<(Vec<Vec<f32>>, Used), NoAnswer> {
        let client = match priority {
            Priority::Interactive => self.client.hasty(Duration::from_millis(self.settings.query_timeout_ms)),
            Priority::Background => self.client.within(LONGEST),
        };
        let mut spending = Spending::new(&self.settings);
        let mut out: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            out.extend(self.batch(&client, batch, &mut spending)?);
        }
        if out.iter().any(|vector| vector.len() != out[0].len()) {
            return Err(unfit("vectors of different lengths").into());
        }
        Ok((out, spending.used()))
    }
}

impl VectorModel {
    fn batch(
        &self,
        client: &Client,
        texts: &[String],
        spending: &mut Spending,
    ) -> Result<Vec<Vec<f32>>, Fault> {
        spending.allow(0)?;
        let answer = client.post_json("embeddings", &self.request(texts), &CancelFlag::new())?;
        let answer: Embeddings = wire::typed(answer)?;
        spending.add(EMBEDDINGS_RUN, answer.usage.as_ref());
        vectors(answer, texts.len(), self.settings.embedding_dimensions)
    }

    fn request(&self, texts: &[String]) -> Value {
        let mut request = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        if let Some(dimensions) = self.settings.embedding_dimensions {
            request["dimensions"] = dimensions.into();
        }
        request
    }
}

/// The vectors of an answer, in the order of the texts; all or none.
fn vectors(answer: Embeddings, texts: usize, dimensions: Option<u32>) -> Result<Vec<Vec<f32>>, Fault> {
    let mut data = answer.data;
    data.sort_by_key(|one| one.index);
    if data.len() != texts || data.iter().enumerate().any(|(at, one)| one.index != at) {
        return Err(unfit("not one vector for each text"));
    }
    for one in &data {
        let length = one.embedding.len();
        let wanted = dimensions.is_none_or(|wanted| wanted as usize == length);
        if !wanted || length == 0 || length > MOST_DIMENSIONS || length != data[0].embedding.len() {
            return Err(unfit(&format!("a vector of {length} numbers")));
        }
        let square: f32 = one.embedding.iter().map(|x| x * x).sum();
        if !square.is_normal() {
            return Err(unfit("a vector without a direction"));
        }
    }
    Ok(data.into_iter().map(|one| one.embedding).collect())
}

fn unfit(why: &str) -> Fault {
    Fault::DoesNotFit(why.to_owned())
}
