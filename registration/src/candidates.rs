//! Finds the pairs of pictures that are worth aligning.

use std::collections::HashMap;

use crate::Features;

/// Number of hash tables over the bits of a descriptor, each with its own 16 bits.
const TABLES: usize = 16;
/// Number of features in a bucket from which it says nothing: the feature repeats everywhere.
const MAX_BUCKET: usize = 96;
/// Minimum number of shared buckets of two pictures.
const MIN_VOTES: u32 = 4;

/// Returns, for each picture of `queries`, the positions of the pictures of `among` that share most
/// features with it, best first and at most `most`.
///
/// Uses locality-sensitive hashing of the descriptors (Indyk and Motwani, 1998), so the effort grows
/// with the number of pictures and not with its square.
pub fn candidates(queries: &[&Features], among: &[&Features], most: usize) -> Vec<Vec<usize>> {
    let key = |bits: &[u64; 4], table: usize| (bits[table % 4] >> (table / 4 * 16)) as u16;
    let mut buckets: HashMap<(usize, u16), Vec<u32>> = HashMap::new();
    for (at, features) in among.iter().enumerate() {
        for feature in &features.list {
            for table in 0..TABLES {
                buckets.entry((table, key(&feature.bits, table))).or_default().push(at as u32);
            }
        }
    }
    let mut votes = vec![0_u32; among.len()];
    let mut best = |features: &&Features| {
        votes.fill(0);
        for feature in &features.list {
            let found = (0..TABLES).filter_map(|table| buckets.get(&(table, key(&feature.bits, table))));
            for bucket in found.filter(|bucket| bucket.len() <= MAX_BUCKET) {
                bucket.iter().for_each(|other| votes[*other as usize] += 1);
            }
        }
        let mut others: Vec<usize> = (0..votes.len()).filter(|other| votes[*other] >= MIN_VOTES).collect();
        others.sort_by_key(|other| (std::cmp::Reverse(votes[*other]), *other));
        others.truncate(most);
        others
    };
    queries.iter().map(&mut best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Feature;

    #[test]
    fn pictures_with_the_same_features_are_candidates() {
        let picture = |seed: u64| {
            let feature = |n: u64| {
                let bits =
                    [1, 3, 5, 7].map(|k| (seed * 1000 + n * 8 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                Feature { x: n as u16, y: n as u16, bits }
            };
            Features { width: 320, height: 180, list: (0..40).map(feature).collect() }
        };
        let (a, b, c) = (picture(1), picture(2), picture(3));
        assert_eq!(candidates(&[&b], &[&a, &b, &c], 1), [vec![1]]);
        assert_eq!(candidates(&[&Features::default()], &[&a], 4), [Vec::<usize>::new()]);
    }
}
