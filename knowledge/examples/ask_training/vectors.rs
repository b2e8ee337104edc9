//! Vectors of the packaged sentence embeddings.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use domain::language::{Embedder, Priority};
use knowledge::ask::Meaning;

/// Vectors of the packaged sentence embeddings.
pub(super) struct Vectors {
    embedder: Arc<dyn Embedder>,
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl Vectors {
    pub(super) fn open() -> Result<Vectors, String> {
        let embedder = perception::models::packaged::embedder(&perception::models::Settings::default());
        let embedder = embedder.ok_or("the sentence embeddings are missing: run `cargo xtask setup`")?;
        Ok(Vectors { embedder, known: RefCell::default() })
    }

    fn vector(&self, text: &str) -> Option<Vec<f32>> {
        if let Some(known) = self.known.borrow().get(text) {
            return Some(known.clone());
        }
        let (vectors, _) = self.embedder.embed(&[text.to_owned()], Priority::Background).ok()?;
        let vector = vectors.into_iter().next()?;
        self.known.borrow_mut().insert(text.to_owned(), vector.clone());
        Some(vector)
    }
}

impl Meaning for Vectors {
    fn similarities(&self, question: &str, texts: &[String]) -> Option<Vec<f32>> {
        let question = self.vector(question)?;
        let cosine = |vector: Vec<f32>| question.iter().zip(vector).map(|(a, b)| a * b).sum();
        texts.iter().map(|text| self.vector(text).map(cosine)).collect()
    }
}
