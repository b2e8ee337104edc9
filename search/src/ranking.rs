//! BM25 in integers, so that every database computes the same sums.

/// Saturation of term frequency (`k1` of BM25).
const K1: f64 = 1.2;
/// Normalisation by document length (`b` of BM25). Low, because a longer walk is no less relevant.
const B: f64 = 0.3;
/// Average document length, as a sum of weights.
const AVERAGE_LENGTH: f64 = 400.0;
/// Integer that stands for 1.
const SCALE: f64 = 1000.0;
/// Factor for terms that match a misspelled word.
const TYPO_FACTOR: f64 = 0.5;

/// Returns the impact of a term on the score of a document. `weight` is its weighted frequency,
/// `length` the sum of the weights of all terms.
pub(crate) fn impact(weight: f64, length: f64) -> i64 {
    let norm = K1 * (1.0 - B + B * length / AVERAGE_LENGTH);
    (SCALE * weight * (K1 + 1.0) / (weight + norm)).round() as i64
}

/// Returns the weight of a term from its document frequency (the inverse document frequency of
/// BM25). Rarer terms have a higher weight.
pub fn term_weight(document_frequency: i64, spaces: i64, is_typo: bool) -> i64 {
    let (frequency, spaces) = (document_frequency.max(0) as f64, spaces.max(document_frequency) as f64);
    let inverse_frequency = (1.0 + (spaces - frequency + 0.5) / (frequency + 0.5)).ln();
    let factor = if is_typo { TYPO_FACTOR } else { 1.0 };
    (SCALE * factor * inverse_frequency).round().max(1.0) as i64
}

/// Converts a sum of impact times weight to the score that the API returns.
pub fn displayed_score(sum: i64) -> f64 {
    sum as f64 / (SCALE * SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_and_high_term_frequencies_score_higher() {
        assert!(term_weight(1, 1000, false) > term_weight(500, 1000, false));
        assert!(term_weight(1000, 1000, false) > 0, "a term of every space still finds them");
        assert!(term_weight(5, 1000, true) < term_weight(5, 1000, false));
        assert!(impact(3.0, 400.0) > impact(1.0, 400.0) && impact(3.0, 400.0) > impact(3.0, 4000.0));
        assert!(impact(1e6, 400.0) - impact(1e5, 400.0) < 3, "repetition saturates");
    }
}
