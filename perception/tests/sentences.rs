//! Tests the packaged sentence embeddings.
//!
//! Tests that need weights use those in the default folder. Without them they print a note and
//! pass, unless `CI` is set.

#![allow(clippy::disallowed_methods, reason = "tests read their environment")]

use std::sync::Arc;

use domain::language::{Embedder, Priority};
use perception::models::{Models, Settings, packaged};

fn embedder() -> Option<Arc<dyn Embedder>> {
    let embedder = packaged::embedder(&Settings::default());
    assert!(embedder.is_some() || std::env::var_os("CI").is_none(), "the weights were not set up");
    embedder
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn texts_of_similar_meaning_are_closer() {
    let Some(embedder) = embedder() else { return };
    for (query, near, far) in [
        ("somewhere to sleep", "a bedroom with a double bed", "a garage with a workbench"),
        ("place to cook", "kitchen with an oven and a fridge", "office with desks and monitors"),
        ("leave the car", "parking behind the house", "breakfast from seven to ten"),
        ("wash clothes", "laundry room with a dryer", "living room with a television"),
    ] {
        let texts = [query, near, far].map(str::to_owned);
        let (vectors, usage) = embedder.embed(&texts, Priority::Interactive).unwrap();
        let [near, far] = [cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2])];
        assert!(near > far + 0.1, "{query}: {near} {far}");
        assert!(far < embedder.least_similarity(), "{query}: an unrelated text has {far}");
        assert_eq!(usage.requests, 0, "nothing is sent");
        assert!(vectors.iter().all(|vector| (cosine(vector, vector) - 1.0).abs() < 1e-4));
        let again = embedder.embed(&texts, Priority::Background).unwrap().0;
        assert_eq!(vectors, again, "the same text has the same vector");
    }
}

#[test]
fn texts_of_any_length_have_a_vector() {
    let Some(embedder) = embedder() else { return };
    let texts = [String::new(), "room ".repeat(2000), "🛋 厨房 \u{0}".to_owned()];
    let (vectors, _) = embedder.embed(&texts, Priority::Background).unwrap();
    assert_eq!(vectors.len(), 3);
    assert!(vectors.iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn without_weights_or_switched_off_there_is_no_model() {
    let empty = tempfile::tempdir().unwrap();
    let missing = Settings { models_dir: Some(empty.path().into()), ..Settings::default() };
    assert!(packaged::embedder(&missing).is_none());
    assert!(packaged::embedder(&Settings { sentences: false, ..Settings::default() }).is_none());
    assert!(Models::none().embedder().is_none());
}
