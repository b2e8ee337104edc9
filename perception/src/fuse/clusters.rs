//! Correlation clustering: groups items by signed evidence, so that the number of groups follows
//! from the evidence.

use std::collections::{BTreeSet, BinaryHeap};

/// Two groups that may be joined. The one with the most evidence is the greatest; of equal ones, the
/// one with the first items.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    log_odds: f64,
    /// Slots of both groups, the higher first.
    slots: (usize, usize),
    /// Sizes of both groups when they were compared: a candidate of smaller groups is outdated.
    sizes: (usize, usize),
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> std::cmp::Ordering {
        self.log_odds.total_cmp(&other.log_odds).then(other.slots.cmp(&self.slots))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

/// Groups `count` items. `linked` holds the pairs of items that may have evidence for being one;
/// groups without such a pair are never compared, so the effort grows with the number of pairs.
/// `log_odds` returns the evidence that two groups of items, in order, are one: positive for,
/// negative against, and 0 without evidence, which joins nothing. Joins the two groups with the most
/// positive evidence until none is positive (greedy additive joining, as for correlation clustering
/// of graphs). Returns the first item of the group of each item.
///
/// # Errors
/// Returns the first error of `check`, which is called before each comparison.
pub(super) fn cluster<E>(
    count: usize,
    linked: impl IntoIterator<Item = (usize, usize)>,
    mut log_odds: impl FnMut(&[usize], &[usize]) -> f64,
    check: impl Fn() -> Result<(), E>,
) -> Result<Vec<usize>, E> {
    let mut groups: Vec<Vec<usize>> = (0..count).map(|item| vec![item]).collect();
    let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for (a, b) in linked {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    let mut compare = |groups: &[Vec<usize>], a: usize, b: usize| -> Result<Option<Candidate>, E> {
        check()?;
        let (high, low) = (a.max(b), a.min(b));
        let log_odds = log_odds(&groups[low], &groups[high]);
        let sizes = (groups[high].len(), groups[low].len());
        Ok((log_odds > 0.0).then_some(Candidate { log_odds, slots: (high, low), sizes }))
    };
    let mut candidates = BinaryHeap::new();
    for (a, others) in neighbours.iter().enumerate() {
        for b in others.range(..a) {
            candidates.extend(compare(&groups, a, *b)?);
        }
    }
    while let Some(Candidate { slots: (from, into), sizes, .. }) = candidates.pop() {
        if sizes != (groups[from].len(), groups[into].len()) {
            continue;
        }
        let joined = std::mem::take(&mut groups[from]);
        groups[into].extend(joined);
        groups[into].sort_unstable();
        for other in std::mem::take(&mut neighbours[from]) {
            neighbours[other].remove(&from);
            if other != into {
                neighbours[other].insert(into);
                neighbours[into].insert(other);
            }
        }
        for other in &neighbours[into] {
            candidates.extend(compare(&groups, into, *other)?);
        }
    }
    let mut first = vec![0; count];
    for group in groups.iter().filter(|group| !group.is_empty()) {
        group.iter().for_each(|item| first[*item] = group[0]);
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..count).flat_map(|a| (0..a).map(move |b| (a, b)))
    }

    fn never() -> Result<(), std::convert::Infallible> {
        Ok(())
    }

    /// Clusters items with the sum of the evidence between the items of two groups.
    fn clustered(count: usize, links: &[(usize, usize, f64)]) -> Vec<usize> {
        let link = |a: usize, b: usize| {
            links
                .iter()
                .filter(|(i, j, _)| (*i, *j) == (a, b) || (*i, *j) == (b, a))
                .map(|link| link.2)
                .sum::<f64>()
        };
        let sum = |a: &[usize], b: &[usize]| -> f64 {
            a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))).map(|(a, b)| link(a, b)).sum()
        };
        let Ok(groups) = cluster(count, all_pairs(count), sum, never);
        groups
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

    #[test]
    fn only_linked_items_are_compared() {
        let mut compared = 0;
        let chain = (1..1000).map(|item| (item - 1, item));
        let Ok(groups) = cluster(
            1000,
            chain,
            |a, b| {
                compared += 1;
                // Ten items a group.
                if a[0] / 10 == b[0] / 10 { 1.0 } else { -1.0 }
            },
            never,
        );
        assert_eq!((groups[9], groups[10], groups[999]), (0, 10, 990));
        assert!(compared < 4000, "{compared}");
    }

    #[test]
    fn an_error_of_the_check_ends_the_clustering() {
        assert_eq!(cluster(3, all_pairs(3), |_, _| 1.0, || Err("cancelled")), Err("cancelled"));
    }
}
