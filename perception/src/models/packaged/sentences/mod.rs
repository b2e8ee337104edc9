//! Computes sentence embeddings with all-MiniLM-L6-v2 in 8-bit integers.
//!
//! The vector of a text is the mean of the vectors of its tokens, scaled to length 1.

mod tokenize;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use domain::language::{Embedder, LanguageModelError, ModelUsage, Priority};
use rten_tensor::Tensor;
use rten_tensor::prelude::*;

use self::tokenize::Tokenizer;
use super::network::{Input, Network, Runtime};
use super::weights::{BERT_VOCABULARY, MINILM, MINILM_MODEL};
use crate::models::ModelError;

/// Name of the model in errors.
const MODEL: &str = MINILM_MODEL;
/// Maximum number of tokens of a text; the rest is not read. The model was trained with this length.
const MAX_TOKENS: usize = 256;
/// Number of dimensions of a vector.
const DIMENSIONS: usize = 384;
/// Cosine similarity below which vectors are unrelated. Measured: see `MODELS.md`.
const LEAST_SIMILARITY: f32 = 0.41;

/// The network with its vocabulary.
struct Encoder {
    network: Network,
    tokenizer: Tokenizer,
}

impl Encoder {
    fn load(models_dir: &Path, runtime: &Runtime) -> Result<Encoder, ModelError> {
        let malformed = |error: &dyn std::fmt::Display| ModelError::malformed(MODEL, error);
        let network = Network::load(MODEL, MINILM.read(models_dir, "model.onnx")?, runtime)?;
        let vocabulary = BERT_VOCABULARY.read(models_dir, "vocab.txt")?;
        let vocabulary = String::from_utf8(vocabulary).map_err(|error| malformed(&error))?;
        let tokenizer =
            Tokenizer::new(&vocabulary).ok_or_else(|| malformed(&"a special token is missing"))?;
        Ok(Encoder { network, tokenizer })
    }

    /// Returns the vector of a text.
    fn vector(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let tokens = self.tokenizer.tokens(text, MAX_TOKENS);
        let length = tokens.len();
        let row = |values: Vec<i32>| Input::Integers(Tensor::from_data(&[1, length], values));
        let inputs = vec![
            ("input_ids", row(tokens)),
            ("attention_mask", row(vec![1; length])),
            ("token_type_ids", row(vec![0; length])),
        ];
        let states = self.network.run(inputs, &["last_hidden_state"])?.swap_remove(0);
        if states.shape() != [1, length, DIMENSIONS] {
            return Err(self.network.failed(format!("an output of shape {:?}", states.shape())));
        }
        mean(&states.to_vec()).ok_or_else(|| self.network.failed("a vector is zero or not finite"))
    }
}

/// Returns the mean of the vectors, scaled to length 1, or `None` if it has no direction.
fn mean(states: &[f32]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0; DIMENSIONS];
    for state in states.chunks_exact(DIMENSIONS) {
        for (total, value) in sum.iter_mut().zip(state) {
            *total += value;
        }
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    length.is_normal().then(|| sum.iter().map(|x| x / length).collect())
}

/// Sentence embeddings.
pub(super) struct SentenceModel {
    models_dir: PathBuf,
    runtime: Runtime,
    encoder: OnceLock<Result<Encoder, LanguageModelError>>,
}

impl SentenceModel {
    /// Loads the network.
    pub(super) fn load(models_dir: &Path, runtime: &Runtime) -> Result<SentenceModel, ModelError> {
        let encoder = OnceLock::from(Ok(Encoder::load(models_dir, runtime)?));
        Ok(SentenceModel { models_dir: models_dir.to_owned(), runtime: runtime.clone(), encoder })
    }

    /// Checks the weights. The network is loaded when it is first used: most processes with models never
    /// do.
    pub(super) fn on_demand(models_dir: &Path, runtime: Runtime) -> Result<SentenceModel, ModelError> {
        MINILM.read(models_dir, "model.onnx")?;
        BERT_VOCABULARY.read(models_dir, "vocab.txt")?;
        Ok(SentenceModel { models_dir: models_dir.to_owned(), runtime, encoder: OnceLock::new() })
    }

    fn encoder(&self) -> Result<&Encoder, LanguageModelError> {
        let load = || Encoder::load(&self.models_dir, &self.runtime).map_err(|error| failure(&error));
        self.encoder.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

fn failure(error: &ModelError) -> LanguageModelError {
    LanguageModelError { code: "SENTENCE_MODEL_FAILED", reason: error.to_string() }
}

impl Embedder for SentenceModel {
    fn model(&self) -> &str {
        MODEL
    }

    fn least_similarity(&self) -> f32 {
        LEAST_SIMILARITY
    }

    fn embed(
        &self,
        texts: &[String],
        _priority: Priority,
    ) -> Result<(Vec<Vec<f32>>, ModelUsage), LanguageModelError> {
        let encoder = self.encoder()?;
        let vectors = texts
            .iter()
            .map(|text| encoder.vector(text))
            .collect::<Result<_, _>>()
            .map_err(|error| failure(&error))?;
        // Nothing is sent and nothing is charged.
        Ok((vectors, ModelUsage::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_has_length_one() {
        let mut states = vec![0.0; 2 * DIMENSIONS];
        (states[0], states[DIMENSIONS]) = (3.0, 1.0);
        states[1] = 2.0;
        let vector = mean(&states).unwrap();
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((vector[0] / vector[1] - 2.0).abs() < 1e-6);
        assert_eq!(mean(&vec![0.0; DIMENSIONS]), None);
    }
}
