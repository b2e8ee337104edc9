//! Reliability of confidences: how often claims of a confidence are right.

use std::fmt::Write as _;

/// Number of equally wide bins of confidence.
const BINS: usize = 10;

/// Claims with their confidence and whether they are right.
#[derive(Debug, Clone, Default)]
pub(super) struct Reliability(Vec<(f64, bool)>);

impl Reliability {
    /// Adds a claim.
    pub(super) fn add(&mut self, confidence: f64, right: bool) {
        self.0.push((confidence, right));
    }

    /// Returns the number of claims.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the share of right claims, or `None` without claims.
    fn base_rate(&self) -> Option<f64> {
        let right = self.0.iter().filter(|(_, right)| *right).count();
        (!self.0.is_empty()).then(|| right as f64 / self.0.len() as f64)
    }

    /// Returns the Brier score: the mean squared distance of confidence and truth.
    fn brier(&self) -> f64 {
        self.brier_of(|(confidence, _)| *confidence)
    }

    fn brier_of(&self, confidence: impl Fn(&(f64, bool)) -> f64) -> f64 {
        let square = |claim: &(f64, bool)| (confidence(claim) - f64::from(u8::from(claim.1))).powi(2);
        self.0.iter().map(square).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Returns the claims of each bin.
    fn bins(&self) -> Vec<Vec<(f64, bool)>> {
        let mut bins = vec![Vec::new(); BINS];
        for claim in &self.0 {
            bins[((claim.0 * BINS as f64) as usize).min(BINS - 1)].push(*claim);
        }
        bins
    }

    /// Returns the expected calibration error: the mean distance of confidence and share of right
    /// claims over bins, weighted by claims.
    fn expected_calibration_error(&self) -> f64 {
        let distance = |bin: &Vec<(f64, bool)>| {
            let confidence: f64 = bin.iter().map(|(confidence, _)| confidence).sum();
            let right = bin.iter().filter(|(_, right)| *right).count() as f64;
            (confidence - right).abs()
        };
        self.bins().iter().map(distance).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Writes the table of bins with the scores.
    pub(super) fn table(&self, title: &str) -> String {
        let Some(base) = self.base_rate() else { return String::new() };
        let mut out = format!("{title}: {} claims\nconfidence  claims  mean   right\n", self.len());
        for (number, bin) in self.bins().iter().enumerate().filter(|(_, bin)| !bin.is_empty()) {
            let mean = bin.iter().map(|(confidence, _)| confidence).sum::<f64>() / bin.len() as f64;
            let right = bin.iter().filter(|(_, right)| *right).count() as f64 / bin.len() as f64;
            let from = number as f64 / BINS as f64;
            let _ = writeln!(out, "{from:.1}-{:.1}     {:6}  {mean:.3}  {right:.3}", from + 0.1, bin.len());
        }
        let (ece, brier) = (self.expected_calibration_error(), self.brier());
        let _ = writeln!(
            out,
            "ECE {ece:.3}, Brier score {brier:.3}, of the base rate {base:.3}: {:.3}",
            self.brier_of(|_| base)
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(claims: &[(f64, bool)]) -> Reliability {
        let mut reliability = Reliability::default();
        claims.iter().for_each(|(confidence, right)| reliability.add(*confidence, *right));
        reliability
    }

    #[test]
    fn calibrated_confidences_have_no_error() {
        let mut claims = vec![(0.75, true); 3];
        claims.push((0.75, false));
        let calibrated = of(&claims);
        assert!(calibrated.expected_calibration_error() < 1e-9);
        assert!((calibrated.brier() - 0.1875).abs() < 1e-9);
        assert!((calibrated.brier() - calibrated.brier_of(|_| 0.75)).abs() < 1e-9);
    }

    #[test]
    fn overconfident_claims_have_an_error() {
        let wrong = of(&[(0.9, false), (0.9, true)]);
        assert!((wrong.expected_calibration_error() - 0.4).abs() < 1e-9);
        assert!(wrong.table("types").contains("ECE 0.400"), "{}", wrong.table("types"));
        assert_eq!(of(&[]).table("types"), "");
    }
}
