//! Compares the passages of a document with a question by meaning, for the answers of
//! [`knowledge::ask`].
//!
//! The vector of a text is computed once and kept in memory, whichever document the text is in, so a
//! corrected document needs no new vectors but those of its new texts. A document with many new texts
//! is prepared in the background; its questions are answered by words until then.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use domain::language::{Embedder, Priority};
use knowledge::ask::Meaning;

/// Maximum number of vectors in memory. With 384 dimensions they take 31 MB.
const MAX_VECTORS: usize = 20_000;
/// Maximum number of new texts of a document; one with more is answered by words alone.
const MAX_TEXTS: usize = MAX_VECTORS / 4;
/// Number of new texts whose vectors a question waits for: about 0.1 s with the packaged model.
const MAX_AWAITED: usize = 24;
/// Number of texts that are computed in one step.
const BATCH_SIZE: usize = 16;
/// Maximum length of a text, in characters. The packaged model reads 256 tokens.
const MAX_TEXT_CHARS: usize = 1000;

/// Vectors of sentences, computed by an embedding model that runs in this process.
#[derive(Clone)]
pub struct SentenceVectors(Arc<Inner>);

struct Inner {
    embedder: Arc<dyn Embedder>,
    known: Mutex<Generations>,
    /// The thread that prepares a document; one at a time.
    preparing: Mutex<Option<JoinHandle<()>>>,
}

/// A bounded cache: vectors that are used move to the young generation, and a full young generation
/// replaces the old one.
#[derive(Default)]
struct Generations {
    young: HashMap<String, Arc<[f32]>>,
    old: HashMap<String, Arc<[f32]>>,
}

impl Generations {
    fn get(&mut self, text: &str) -> Option<Arc<[f32]>> {
        if let Some(vector) = self.young.get(text) {
            return Some(vector.clone());
        }
        let (text, vector) = self.old.remove_entry(text)?;
        self.put(text, vector.clone());
        Some(vector)
    }

    fn put(&mut self, text: String, vector: Arc<[f32]>) {
        if self.young.len() >= MAX_VECTORS / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(text, vector);
    }
}

impl SentenceVectors {
    /// Creates an empty cache over a model.
    pub fn new(embedder: Arc<dyn Embedder>) -> SentenceVectors {
        SentenceVectors(Arc::new(Inner { embedder, known: Mutex::default(), preparing: Mutex::default() }))
    }

    /// Waits until the documents that are being prepared are ready.
    pub fn finish_preparing(&self) {
        let running = lock(&self.0.preparing).take();
        if let Some(thread) = running {
            // A panic of the model has been reported by its thread.
            let _ = thread.join();
        }
    }

    /// Computes the vectors of texts in the background, unless another document is being prepared.
    fn prepare(&self, texts: Vec<String>) {
        let mut preparing = lock(&self.0.preparing);
        if preparing.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let inner = self.0.clone();
        let work = move || {
            for batch in texts.chunks(BATCH_SIZE) {
                if !inner.compute(batch, Priority::Background) {
                    return;
                }
            }
        };
        match std::thread::Builder::new().name("sentence-vectors".to_owned()).spawn(work) {
            Ok(thread) => *preparing = Some(thread),
            Err(error) => tracing::warn!(%error, "no thread for sentence vectors"),
        }
    }
}

impl Meaning for SentenceVectors {
    fn similarities(&self, question: &str, texts: &[String]) -> Option<Vec<f32>> {
        let texts: Vec<&str> = texts.iter().map(|text| cut(text)).collect();
        let missing = self.0.missing(&texts);
        if missing.len() > MAX_TEXTS {
            return None;
        }
        if missing.len() > MAX_AWAITED {
            self.prepare(missing);
            return None;
        }
        let question = cut(question);
        let awaited: Vec<String> = missing.into_iter().chain(self.0.missing(&[question])).collect();
        if !awaited.is_empty() && !self.0.compute(&awaited, Priority::Interactive) {
            return None;
        }
        let mut known = lock(&self.0.known);
        let question = known.get(question)?;
        texts.into_iter().map(|text| known.get(text).map(|vector| cosine(&question, &vector))).collect()
    }
}

impl Inner {
    fn missing(&self, texts: &[&str]) -> Vec<String> {
        let mut known = lock(&self.known);
        texts.iter().filter(|text| known.get(text).is_none()).map(|text| (*text).to_owned()).collect()
    }

    /// Computes and keeps vectors; returns whether the model returned them.
    fn compute(&self, texts: &[String], priority: Priority) -> bool {
        match self.embedder.embed(texts, priority) {
            Ok((vectors, _)) if vectors.len() == texts.len() => {
                let mut known = lock(&self.known);
                for (text, vector) in texts.iter().zip(vectors) {
                    known.put(text.clone(), vector.into());
                }
                true
            }
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(%error, "no sentence vectors: questions are answered by words alone");
                false
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(MAX_TEXT_CHARS).map_or(text, |(at, _)| &text[..at])
}

/// Returns the cosine similarity of two vectors, or 0 if one has no direction.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length.is_normal() && a.len() == b.len() { dot(a, b) / length } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use domain::language::{LanguageModelError, ModelUsage};

    use super::*;

    /// A fake model: one dimension for each letter of the alphabet.
    #[derive(Default)]
    struct Letters {
        computed: AtomicUsize,
        failing: AtomicBool,
    }

    impl Embedder for Letters {
        fn model(&self) -> &'static str {
            "letters"
        }

        fn least_similarity(&self) -> f32 {
            0.3
        }

        fn embed(
            &self,
            texts: &[String],
            _: Priority,
        ) -> Result<(Vec<Vec<f32>>, ModelUsage), LanguageModelError> {
            if self.failing.load(Ordering::SeqCst) {
                return Err(LanguageModelError { code: "BROKEN", reason: "it fails".into() });
            }
            self.computed.fetch_add(texts.len(), Ordering::SeqCst);
            let vector = |text: &String| {
                let mut vector = vec![0.0; 26];
                for letter in text.bytes().filter(u8::is_ascii_lowercase) {
                    vector[usize::from(letter - b'a')] += 1.0;
                }
                vector
            };
            Ok((texts.iter().map(vector).collect(), ModelUsage::default()))
        }
    }

    fn texts(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("text {at}")).collect()
    }

    #[test]
    fn each_text_is_computed_once() {
        let model = Arc::new(Letters::default());
        let vectors = SentenceVectors::new(model.clone());
        let texts = ["abc".to_owned(), "xyz".to_owned()];
        let first = vectors.similarities("cab", &texts).unwrap();
        assert!(first[0] > 0.99 && first[1].abs() < 0.01, "{first:?}");
        assert_eq!(vectors.similarities("cab", &texts), Some(first));
        assert_eq!(model.computed.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_long_document_is_prepared_beside_its_first_question() {
        let vectors = SentenceVectors::new(Arc::new(Letters::default()));
        let texts = texts(MAX_AWAITED + 1);
        assert_eq!(vectors.similarities("text", &texts), None, "answered by words meanwhile");
        vectors.finish_preparing();
        assert_eq!(vectors.similarities("text", &texts).map(|all| all.len()), Some(texts.len()));
    }

    #[test]
    fn a_failing_model_leaves_the_words() {
        let model = Arc::new(Letters::default());
        model.failing.store(true, Ordering::SeqCst);
        let vectors = SentenceVectors::new(model.clone());
        assert_eq!(vectors.similarities("a", &texts(2)), None);
        model.failing.store(false, Ordering::SeqCst);
        assert!(vectors.similarities("a", &texts(2)).is_some());
    }

    #[test]
    fn the_number_of_vectors_is_bounded() {
        let mut known = Generations::default();
        let vector: Arc<[f32]> = vec![1.0].into();
        known.put("used".to_owned(), vector.clone());
        for at in 0..3 * MAX_VECTORS {
            known.put(at.to_string(), vector.clone());
            assert!(known.get("used").is_some(), "a text that is used stays");
        }
        assert!(known.young.len() + known.old.len() <= MAX_VECTORS + 1);
        assert!(known.get("0").is_none());
    }
}
