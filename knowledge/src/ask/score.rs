//! The score of a candidate: the probability that it answers the part, from named features.
//!
//! The weights are in `score.json`; the example `ask_training` fits them and the threshold on the
//! questions in `tests/data/training`, which no test reads.

use std::sync::LazyLock;

use serde::Deserialize;

/// Number of features.
pub const FEATURES: usize = 10;

/// Names of the features, in order.
pub const NAMES: [&str; FEATURES] = [
    "coverage",
    "weakest_term",
    "type_fit",
    "nearness",
    "place_fit",
    "confidence",
    "other_subject",
    "few_terms",
    "corrected",
    "rival",
];

/// Features of a candidate, each 0 to 1.
pub type Features = [f64; FEATURES];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    bias: f64,
    weights: std::collections::BTreeMap<String, f64>,
    /// Minimum probability of an answer.
    threshold: f64,
}

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    // The file is part of the binary, and tests parse it.
    serde_json::from_str(include_str!("score.json")).expect("the weights are well-formed")
});

/// Returns the logarithm of the odds that a candidate with these features is right.
pub(super) fn odds(features: &Features) -> f64 {
    let weight = |name: &&str| WEIGHTS.weights.get(*name).unwrap_or(&0.0);
    NAMES.iter().zip(features).map(|(name, value)| weight(name) * value).sum::<f64>() + WEIGHTS.bias
}

/// Returns the probability that a candidate with these features is right.
pub(super) fn probability(features: &Features) -> f64 {
    1.0 / (1.0 + (-odds(features)).exp())
}

/// Minimum probability of an answer.
pub(super) fn threshold() -> f64 {
    WEIGHTS.threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_name_every_feature() {
        assert!(NAMES.iter().all(|name| WEIGHTS.weights.contains_key(*name)));
        assert_eq!(WEIGHTS.weights.len(), FEATURES);
    }

    #[test]
    fn better_coverage_is_never_less_probable() {
        let mut low: Features = [0.5; FEATURES];
        let mut high = low;
        (low[0], high[0]) = (0.3, 0.9);
        assert!(probability(&high) >= probability(&low));
    }
}
