//! Whether confidence means frequency: of the claims made with 0.8, eight in ten should be right.

/// Number of equal parts of 0 to 1 in which claims are compared.
const BINS: usize = 10;

/// Claims with their confidence, and whether they are right.
#[derive(Debug, Clone, Default)]
pub(super) struct Reliability {
    claims: Vec<(f64, bool)>,
}

/// One bin: the number of claims, their mean confidence and the share that is right.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bin {
    count: usize,
    confidence: f64,
    right: f64,
}

impl Reliability {
    /// Adds one claim.
    pub(super) fn add(&mut self, confidence: f64, right: bool) {
        self.claims.push((confidence.clamp(0.0, 1.0), right));
    }

    /// Number of claims.
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// Expected calibration error: the mean distance between confidence and frequency, weighted by
    /// the claims of each bin. `None` without claims.
    pub(super) fn expected_error(&self) -> Option<f64> {
        let weighted = self.bins().map(|bin| bin.count as f64 * (bin.confidence - bin.right).abs());
        self.mean_of(weighted.sum())
    }

    /// Brier score: the mean squared distance between confidence and outcome.
    pub(super) fn brier(&self) -> Option<f64> {
        self.mean_of(self.claims.iter().map(|(p, right)| (p - f64::from(u8::from(*right))).powi(2)).sum())
    }

    /// Brier score of someone who only knows how many of the claims are right.
    pub(super) fn brier_of_base_rate(&self) -> Option<f64> {
        let rate = self.mean_of(self.claims.iter().filter(|(_, right)| *right).count() as f64)?;
        Some(rate * (1.0 - rate))
    }

    /// Formats the bins as a Markdown table.
    pub(super) fn diagram(&self) -> String {
        let row = |b: Bin| format!("| {:.2} | {:.2} | {} |\n", b.confidence, b.right, b.count);
        let rows: String = self.bins().map(row).collect();
        format!("| confidence | right | claims |\n|---|---|---|\n{rows}")
    }

    fn bins(&self) -> impl Iterator<Item = Bin> {
        (0..BINS).filter_map(|number| {
            let inside: Vec<_> = self
                .claims
                .iter()
                .filter(|(p, _)| ((p * BINS as f64) as usize).min(BINS - 1) == number)
                .collect();
            let count = inside.len();
            let mean = |sum: f64| sum / count as f64;
            (count > 0).then(|| Bin {
                count,
                confidence: mean(inside.iter().map(|(p, _)| p).sum()),
                right: mean(inside.iter().filter(|(_, right)| *right).count() as f64),
            })
        })
    }

    fn mean_of(&self, sum: f64) -> Option<f64> {
        (!self.claims.is_empty()).then(|| sum / self.claims.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(claims: &[(f64, bool)]) -> Reliability {
        let mut reliability = Reliability::default();
        claims.iter().for_each(|(p, right)| reliability.add(*p, *right));
        reliability
    }

    #[test]
    fn the_error_is_the_distance_between_confidence_and_frequency() {
        // Said with 0.9, right one time in two.
        assert!((of(&[(0.9, true), (0.9, false)]).expected_error().unwrap() - 0.4).abs() < 1e-9);
        // 0.75 and right three times in four, beside 0.25 and right one time in four.
        let calm = [(0.75, true), (0.75, true), (0.75, true), (0.75, false)];
        let low = [(0.25, false), (0.25, false), (0.25, false), (0.25, true)];
        let both = of(&[calm, low].concat());
        assert!(both.expected_error().unwrap() < 1e-9);
        assert!(both.brier().unwrap() < both.brier_of_base_rate().unwrap());
        assert_eq!(both.diagram().lines().count(), 4);
        assert_eq!(of(&[]).expected_error(), None);
    }
}
