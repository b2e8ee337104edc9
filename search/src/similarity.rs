//! Ranks by meaning, and joined with ranks by words. Computed here, so that every database ranks alike.

use std::collections::BTreeMap;

/// How slowly a rank loses worth: of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
const SLOWLY: i64 = 60;
/// Worth of a first place, times [`SLOWLY`] and one: whole numbers, so that sums are exact.
const WORTH: i64 = 1_000_000_000;

/// Which of the vectors of a space is closest to a query, and its cosine. `stored` holds `f32`, little-endian, of as
/// many numbers as the query each; what does not fit is left out.
pub fn closest(query: &[f32], stored: &[u8]) -> Option<(usize, f32)> {
    let length = |sum: f32| sum.sqrt();
    let own = length(query.iter().map(|x| x * x).sum());
    let cosine = |vector: &[u8]| {
        let numbers = vector.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let (mut dot, mut square) = (0.0_f32, 0.0_f32);
        for (x, y) in query.iter().zip(numbers) {
            dot += x * y;
            square += y * y;
        }
        dot / (own * length(square))
    };
    let all = stored.chunks_exact((query.len() * 4).max(1)).map(cosine).enumerate();
    all.filter(|(_, cosine)| cosine.is_finite()).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
}

/// In how many bits the sketch of a query ([`domain::search::sketch`]) and the most alike of a space's differ. `stored`
/// holds sketches of the query's length, one after the other.
pub fn apart(query: &[u8], stored: &[u8]) -> Option<u32> {
    let differ = |sketch: &[u8]| sketch.iter().zip(query).map(|(a, b)| (a ^ b).count_ones()).sum();
    stored.chunks_exact(query.len().max(1)).map(differ).min()
}

/// Joins rankings, best first, by reciprocal ranks: what stands high in several of them stands highest. Equal sums are
/// in the order of their names.
pub fn fused(rankings: &[Vec<String>]) -> Vec<(String, i64)> {
    let mut sums: BTreeMap<&String, i64> = BTreeMap::new();
    for ranking in rankings {
        for (name, rank) in ranking.iter().zip(1_i64..) {
            *sums.entry(name).or_default() += WORTH / (SLOWLY + rank);
        }
    }
    let mut out: Vec<(String, i64)> = sums.into_iter().map(|(name, sum)| (name.clone(), sum)).collect();
    out.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(vectors: &[[f32; 2]]) -> Vec<u8> {
        vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn the_closest_vector_is_found_whatever_its_length() {
        let stored = bytes(&[[0.0, 3.0], [5.0, 5.0], [0.5, 0.0]]);
        let (at, cosine) = closest(&[2.0, 0.0], &stored).unwrap();
        assert_eq!((at, (cosine * 100.0).round()), (2, 100.0));
        assert_eq!(closest(&[1.0, 1.0], &stored).unwrap().0, 1);
        assert_eq!(closest(&[1.0, 0.0], &bytes(&[[0.0, 0.0], [f32::NAN, 1.0]])), None);
        assert_eq!(closest(&[1.0, 0.0, 0.0], &bytes(&[[1.0, 0.0]])), None, "another length");
        assert_eq!(closest(&[], &stored), None);
    }

    #[test]
    fn the_sketch_that_differs_least_counts() {
        assert_eq!(apart(&[0b1010, 0], &[0b0101, 0, 0b1011, 1]), Some(2));
        assert_eq!((apart(&[1], &[]), apart(&[], &[1])), (None, Some(0)));
    }

    /// Random vectors are the hardest: all lie about equally far from each other. Texts of one kind lie closer.
    #[test]
    fn sketches_bring_what_is_closest_among_the_first() {
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        let mut vector = || (0..384).map(|_| number()).collect::<Vec<f32>>();
        let all: Vec<Vec<f32>> = (0..3000).map(|_| vector()).collect();
        let (mut first, mut asked) = (0, 0);
        for near in (0..3000).step_by(300) {
            // A question that has a third of its meaning from a space.
            let query: Vec<f32> = vector().iter().zip(&all[near]).map(|(a, b)| a + 0.5 * b).collect();
            let sketch = domain::search::sketch(&query);
            let bits = |v: &Vec<f32>| apart(&sketch, &domain::search::sketch(v)).unwrap();
            let own = bits(&all[near]);
            asked += 1;
            first += usize::from(all.iter().filter(|other| bits(other) < own).count() < 150);
        }
        assert_eq!(first, asked);
    }

    #[test]
    fn what_stands_high_in_both_stands_highest() {
        let of = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let order =
            |rankings: &[Vec<String>]| fused(rankings).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(order(&[of(&["a", "b", "c"]), of(&["d", "b"])]), ["b", "a", "d", "c"]);
        assert_eq!(order(&[of(&["b", "a"])]), ["b", "a"], "one ranking is itself");
        assert_eq!(order(&[]), Vec::<String>::new());
        let all = fused(&[of(&["a", "b"]), of(&["b", "a"])]);
        assert_eq!(all[0].1, all[1].1);
    }
}
