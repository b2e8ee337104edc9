//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): merges rankings into one.

use std::collections::BTreeMap;

/// Constant `k` of reciprocal rank fusion. Higher values make the scores of neighbouring ranks more
/// similar.
const RRF_K: i64 = 60;
/// Integer that stands for 1, so that sums of scores are exact.
const SCALE: i64 = 1_000_000_000;

/// Merges rankings, best first, into one list with scores. Items near the top of several rankings
/// come first; items of equal score are ordered by name.
pub(crate) fn reciprocal_rank_fusion(rankings: &[Vec<String>]) -> Vec<(String, i64)> {
    let mut sums: BTreeMap<&String, i64> = BTreeMap::new();
    for ranking in rankings {
        for (name, rank) in ranking.iter().zip(1_i64..) {
            *sums.entry(name).or_default() += SCALE / (RRF_K + rank);
        }
    }
    let mut out: Vec<(String, i64)> = sums.into_iter().map(|(name, sum)| (name.clone(), sum)).collect();
    out.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_items_of_several_rankings_first() {
        let of = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let order = |rankings: &[Vec<String>]| {
            reciprocal_rank_fusion(rankings).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(order(&[of(&["a", "b", "c"]), of(&["d", "b"])]), ["b", "a", "d", "c"]);
        assert_eq!(order(&[of(&["b", "a"])]), ["b", "a"], "a single ranking keeps its order");
        assert_eq!(order(&[]), Vec::<String>::new());
        let all = reciprocal_rank_fusion(&[of(&["a", "b"]), of(&["b", "a"])]);
        assert_eq!(all[0].1, all[1].1);
    }
}
