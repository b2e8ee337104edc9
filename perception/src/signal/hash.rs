//! Perceptual hash: similar pictures have similar hashes.

use super::Plane;

/// Returns the 64-bit difference hash (dHash): each of 8 × 8 cells compared with its right
/// neighbour.
pub fn perceptual_hash(plane: &Plane) -> u64 {
    let cells = plane.cells(9, 8);
    let mut hash = 0;
    for y in 0..8 {
        for x in 0..8 {
            hash = hash << 1 | u64::from(cells.at(x, y) > cells.at(x + 1, y));
        }
    }
    hash
}

/// Returns the Hamming distance of two hashes.
pub fn distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_ignores_brightness_and_depends_on_content() {
        let picture = |f: &dyn Fn(usize, usize) -> usize| {
            Plane::new(90, 80, (0..90 * 80).map(|i| f(i % 90, i / 90) as u8).collect())
        };
        let hash = perceptual_hash(&picture(&|x, y| (x * 7 + y * 3) % 100));
        assert!(distance(hash, perceptual_hash(&picture(&|x, y| (x * 7 + y * 3) % 100 + 50))) <= 2);
        assert!(distance(hash, perceptual_hash(&picture(&|x, y| (x * 2 + y * 11) % 100))) > 10);
    }
}
