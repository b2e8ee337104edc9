//! Computes the embeddings of queries and of the passages of a space.

use std::sync::Arc;

use domain::{
    language::{Embedder, LanguageModelError, ModelUsage, Priority},
    search::{Embeddings, Index},
};

/// Embedding of a query.
#[derive(Debug, Clone)]
pub struct QueryVector {
    /// Model that computed the vector.
    pub model: String,
    /// The vector.
    pub vector: Vec<f32>,
    /// Cosine similarity below which a space is unrelated to the query.
    pub least_similarity: f32,
}

/// Computes the embedding of a query.
///
/// # Errors
/// Returns an error if the model returns no vector in time.
pub async fn embed_query(
    embedder: Arc<dyn Embedder>,
    query: &str,
) -> Result<(Option<QueryVector>, ModelUsage), LanguageModelError> {
    let texts = [query.to_owned()];
    spawn_blocking(move || {
        let (mut vectors, used) = embedder.embed(&texts, Priority::Interactive)?;
        let vector = vectors.pop().map(|vector| QueryVector {
            model: embedder.model().to_owned(),
            vector,
            least_similarity: embedder.least_similarity(),
        });
        Ok((vector, used))
    })
    .await
}

/// Computes the embeddings of the passages of a space, and returns the usage.
///
/// Returns no embeddings if no model is configured or the model fails: the space is then found by
/// words alone.
pub async fn embed_passages(
    embedder: Option<&Arc<dyn Embedder>>,
    index: &Index,
) -> (Option<Embeddings>, ModelUsage) {
    let Some(embedder) = embedder.cloned() else { return (None, ModelUsage::default()) };
    let texts: Vec<String> = index.passages.iter().map(|passage| passage.text.clone()).collect();
    let embedding = spawn_blocking(move || {
        let (vectors, used) = embedder.embed(&texts, Priority::Background)?;
        Ok((Embeddings { model: embedder.model().to_owned(), vectors }, used))
    });
    match embedding.await {
        Ok((embeddings, used)) => (Some(embeddings), used),
        Err(LanguageModelError { code, reason }) => {
            tracing::warn!(code, reason, "no embeddings: the space will be found by words alone");
            (None, ModelUsage::default())
        }
    }
}

async fn spawn_blocking<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, LanguageModelError> + Send + 'static,
) -> Result<T, LanguageModelError> {
    let panicked =
        |e: tokio::task::JoinError| Err(LanguageModelError { code: "INTERNAL", reason: e.to_string() });
    tokio::task::spawn_blocking(call).await.unwrap_or_else(panicked)
}
