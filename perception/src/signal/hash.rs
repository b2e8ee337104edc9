//! A hash under which alike pictures are near each other.

use super::Plane;

/// Sixty-four bits of the picture's gradients: 8 × 8 cells, each against the next to the right
/// (the "difference hash").
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

/// In how many bits two hashes differ.
pub fn distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_does_not_change_the_hash_and_content_does() {
        let picture = |f: &dyn Fn(usize, usize) -> usize| {
            Plane::new(90, 80, (0..90 * 80).map(|i| f(i % 90, i / 90) as u8).collect())
        };
        let hash = perceptual_hash(&picture(&|x, y| (x * 7 + y * 3) % 100));
        assert!(distance(hash, perceptual_hash(&picture(&|x, y| (x * 7 + y * 3) % 100 + 50))) <= 2);
        assert!(distance(hash, perceptual_hash(&picture(&|x, y| (x * 2 + y * 11) % 100))) > 10);
    }
}
