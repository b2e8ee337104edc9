//! Metrics, added up over walks.

use std::collections::BTreeMap;

use super::reliability::Reliability;

/// Sums by name, each with its total weight.
#[derive(Debug, Clone, Default)]
pub(super) struct Metrics {
    sums: BTreeMap<String, (f64, f64)>,
    reliability: Reliability,
}

impl Metrics {
    /// Adds the value of one walk to a mean over walks. `None` adds nothing.
    pub(super) fn mean(&mut self, name: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.add(name, value, 1.0);
        }
    }

    /// Adds to a share over all walks together. A whole of 0 adds nothing.
    pub(super) fn share(&mut self, name: &str, part: usize, whole: usize) {
        if whole > 0 {
            self.add(name, part as f64, whole as f64);
        }
    }

    /// Adds to a count over all walks together.
    pub(super) fn count(&mut self, name: &str, number: usize) {
        self.add(name, number as f64, 0.0);
    }

    /// Adds one claim with its confidence.
    pub(super) fn claim(&mut self, confidence: f64, right: bool) {
        self.reliability.add(confidence, right);
    }

    /// Returns the claims that were added.
    pub(super) fn reliability(&self) -> &Reliability {
        &self.reliability
    }

    fn add(&mut self, name: &str, sum: f64, weight: f64) {
        let entry = self.sums.entry(name.to_owned()).or_default();
        entry.0 += sum;
        entry.1 += weight;
    }

    /// Returns the names of all metrics that something was counted for.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.sums.keys().map(String::as_str)
    }

    /// Returns a metric, or `None` if nothing was counted.
    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.sums.get(name).map(|(sum, weight)| if *weight > 0.0 { sum / weight } else { *sum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_means_shares_and_counts() {
        let mut metrics = Metrics::default();
        metrics.mean("mean", Some(1.0));
        metrics.mean("mean", None);
        metrics.mean("mean", Some(0.5));
        metrics.share("share", 1, 1);
        metrics.share("share", 0, 3);
        metrics.share("nothing", 0, 0);
        metrics.count("count", 0);
        let all = ["mean", "share", "nothing", "count"].map(|name| metrics.get(name));
        assert_eq!(all, [Some(0.75), Some(0.25), None, Some(0.0)]);
    }
}
