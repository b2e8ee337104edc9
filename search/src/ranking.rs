//! BM25, in whole numbers: what databases sum is the same in each of them.

/// How soon more of the same word adds no more.
const K1: f64 = 1.2;
/// How much long documents are marked down. Little: a longer walk is no worse an answer.
const B: f64 = 0.3;
/// A usual length, as a sum of weights.
const LENGTH: f64 = 400.0;
/// Whole numbers for a share.
const SCALE: f64 = 1000.0;
/// Of a mistyped word, as a share of the word itself.
const MISTYPED: f64 = 0.5;

/// What a word adds to a document: by how often it is there, weighed by where, and how long the document is.
pub(super) fn impact(weight: f64, length: f64) -> i64 {
    let norm = K1 * (1.0 - B + B * length / LENGTH);
    (SCALE * weight * (K1 + 1.0) / (weight + norm)).round() as i64
}

/// How much a term counts that `having` of `all` spaces have: the rarer, the more.
pub fn weight(having: i64, all: i64, mistyped: bool) -> i64 {
    let (having, all) = (having.max(0) as f64, all.max(having) as f64);
    let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
    let share = if mistyped { MISTYPED } else { 1.0 };
    (SCALE * share * rarity).round().max(1.0) as i64
}

/// The sum of impacts and weights as the number that is shown.
pub fn score(sum: i64) -> f64 {
    sum as f64 / (SCALE * SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_and_frequent_words_count_more() {
        assert!(weight(1, 1000, false) > weight(500, 1000, false));
        assert!(weight(1000, 1000, false) > 0, "a word that all have still finds them");
        assert!(weight(5, 1000, true) < weight(5, 1000, false));
        assert!(impact(3.0, 400.0) > impact(1.0, 400.0) && impact(3.0, 400.0) > impact(3.0, 4000.0));
        assert!(impact(1e6, 400.0) - impact(1e5, 400.0) < 3, "a word that is repeated adds no more");
    }
}
