//! Correlation clustering: groups items by signed evidence, so that the number of groups follows
//! from the evidence.

/// Groups `count` items. `log_odds` returns the evidence that two groups of items are one: positive
/// for, negative against, and 0 without evidence, which joins nothing. Joins the two groups with
/// the most positive evidence until none is positive (greedy additive joining, as for correlation
/// clustering of graphs). Returns the first item of the group of each item.
pub(super) fn cluster(count: usize, mut log_odds: impl FnMut(&[usize], &[usize]) -> f64) -> Vec<usize> {
    let mut groups: Vec<Vec<usize>> = (0..count).map(|item| vec![item]).collect();
    // Evidence between the groups `a` and `b < a`.
    let mut scores: Vec<Vec<f64>> = Vec::with_capacity(count);
    for a in 0..count {
        scores.push((0..a).map(|b| log_odds(&groups[b], &groups[a])).collect());
    }
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for (a, row) in scores.iter().enumerate() {
            for (b, score) in row.iter().enumerate() {
                if *score > 0.0 && best.is_none_or(|(most, _, _)| *score > most) {
                    best = Some((*score, b, a));
                }
            }
        }
        let Some((_, into, from)) = best else { break };
        let joined = std::mem::take(&mut groups[from]);
        groups[into].extend(joined);
        groups[into].sort_unstable();
        for other in 0..count {
            for gone in [from, into] {
                let (low, high) = (other.min(gone), other.max(gone));
                if low == high {
                    continue;
                }
                let empty = groups[low].is_empty() || groups[high].is_empty();
                scores[high][low] =
                    if empty { f64::NEG_INFINITY } else { log_odds(&groups[low], &groups[high]) };
            }
        }
    }
    let mut first = vec![0; count];
    for group in groups.iter().filter(|group| !group.is_empty()) {
        group.iter().for_each(|item| first[*item] = group[0]);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clusters items with the sum of the evidence between the items of two groups.
    fn clustered(count: usize, links: &[(usize, usize, f64)]) -> Vec<usize> {
        let link = |a: usize, b: usize| {
            links
                .iter()
                .filter(|(i, j, _)| (*i, *j) == (a, b) || (*i, *j) == (b, a))
                .map(|link| link.2)
                .sum::<f64>()
        };
        cluster(count, |a, b| a.iter().flat_map(|a| b.iter().map(move |b| link(*a, *b))).sum())
    }

    #[test]
    fn items_without_evidence_stay_apart() {
        assert_eq!(clustered(4, &[]), [0, 1, 2, 3]);
        assert_eq!(clustered(0, &[]), [0; 0]);
    }

    #[test]
    fn positive_evidence_joins_over_several_steps() {
        assert_eq!(clustered(4, &[(0, 2, 1.0), (2, 3, 0.5)]), [0, 1, 0, 0]);
    }

    #[test]
    fn stronger_evidence_against_a_group_keeps_an_item_out() {
        // Item 2 looks like 1, but clashes with 0, which belongs to 1 more certainly.
        assert_eq!(clustered(3, &[(0, 1, 3.0), (1, 2, 2.0), (0, 2, -4.0)]), [0, 0, 2]);
    }

    #[test]
    fn a_clash_is_never_joined_over_any_chain() {
        for seed in 0..200_u64 {
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as f64 / f64::from(1_u32 << 31)
            };
            let mut links = vec![(0, 7, f64::NEG_INFINITY)];
            for a in 0..8 {
                links.extend((0..a).map(|b| (b, a, 4.0 * next() - 2.0)));
            }
            let groups = clustered(8, &links);
            assert_ne!(groups[0], groups[7], "{links:?}");
        }
    }
}
