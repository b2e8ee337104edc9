//! A random number generator. A seed gives the same sample with every version of every dependency.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Returns a generator for one purpose of a seed. Purposes draw independent numbers.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        let mut random =
            Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.word();
        random
    }

    /// Returns the next 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to 1, excluding 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.word() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Returns a number from `low` to `high`, excluding `high`.
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns a number from 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.word() % count.max(1) as u64) as usize
    }

    /// Returns true with probability `share`.
    pub(crate) fn chance(&mut self, share: f32) -> bool {
        self.unit() < share
    }

    /// Returns one of `items`, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Shuffles `items`.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_repeat_and_differ_by_seed_and_purpose() {
        let words = |seed, purpose| {
            let mut random = Random::new(seed, purpose);
            [random.word(), random.word()]
        };
        assert_eq!(words(1, 1), words(1, 1));
        assert_ne!(words(1, 1), words(1, 2));
        assert_ne!(words(1, 1), words(2, 1));
        let mut random = Random::new(7, 7);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }
}
