//! Similarity of stored vectors and binary codes to those of a query.
//!
//! Computed here and not in the database, so that every database ranks alike.

/// Returns the position and cosine similarity of the stored vector that is closest to the query.
///
/// `stored` holds vectors of the query's length, one after the other, as little-endian `f32`. An
/// incomplete vector at its end is ignored.
pub(crate) fn closest(query: &[f32], stored: &[u8]) -> Option<(usize, f32)> {
    let query_norm = query.iter().map(|x| x * x).sum::<f32>().sqrt();
    let cosine = |vector: &[u8]| {
        let numbers = vector.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let (mut dot, mut square) = (0.0_f32, 0.0_f32);
        for (x, y) in query.iter().zip(numbers) {
            dot += x * y;
            square += y * y;
        }
        dot / (query_norm * square.sqrt())
    };
    let all = stored.chunks_exact((query.len() * 4).max(1)).map(cosine).enumerate();
    all.filter(|(_, cosine)| cosine.is_finite()).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
}

/// Returns the smallest Hamming distance between the binary code of a query
/// ([`domain::search::binary_code`]) and the stored codes of a space. `stored` holds codes of the
/// query's length, one after the other.
pub(crate) fn hamming_distance(query: &[u8], stored: &[u8]) -> Option<u32> {
    let distance = |code: &[u8]| code.iter().zip(query).map(|(a, b)| (a ^ b).count_ones()).sum();
    stored.chunks_exact(query.len().max(1)).map(distance).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(vectors: &[[f32; 2]]) -> Vec<u8> {
        vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn closest_ignores_vector_norm() {
        let stored = bytes(&[[0.0, 3.0], [5.0, 5.0], [0.5, 0.0]]);
        let (at, cosine) = closest(&[2.0, 0.0], &stored).unwrap();
        assert_eq!((at, (cosine * 100.0).round()), (2, 100.0));
        assert_eq!(closest(&[1.0, 1.0], &stored).unwrap().0, 1);
        assert_eq!(closest(&[1.0, 0.0], &bytes(&[[0.0, 0.0], [f32::NAN, 1.0]])), None);
        assert_eq!(closest(&[1.0, 0.0, 0.0], &bytes(&[[1.0, 0.0]])), None, "different dimensions");
        assert_eq!(closest(&[], &stored), None);
    }

    #[test]
    fn hamming_distance_is_of_the_nearest_code() {
        assert_eq!(hamming_distance(&[0b1010, 0], &[0b0101, 0, 0b1011, 1]), Some(2));
        assert_eq!((hamming_distance(&[1], &[]), hamming_distance(&[], &[1])), (None, Some(0)));
    }

    /// Random vectors are the hardest case: all have about the same distance from each other.
    #[test]
    fn binary_codes_select_the_closest_vectors() {
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        let mut vector = || (0..384).map(|_| number()).collect::<Vec<f32>>();
        let all: Vec<Vec<f32>> = (0..3000).map(|_| vector()).collect();
        let (mut selected, mut queries) = (0, 0);
        for near in (0..3000).step_by(300) {
            // A third of the query vector comes from one space.
            let query: Vec<f32> = vector().iter().zip(&all[near]).map(|(a, b)| a + 0.5 * b).collect();
            let code = domain::search::binary_code(&query);
            let bits = |v: &Vec<f32>| hamming_distance(&code, &domain::search::binary_code(v)).unwrap();
            let distance = bits(&all[near]);
            queries += 1;
            selected += usize::from(all.iter().filter(|other| bits(other) < distance).count() < 150);
        }
        assert_eq!(selected, queries);
    }
}
