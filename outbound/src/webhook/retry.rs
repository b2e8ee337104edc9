//! When a failed delivery is tried again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Retries of a delivery: the first after `first_wait_seconds`, each later one after twice the wait
/// before, never more than `longest_wait_seconds`, `retries` in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetrySettings {
    /// Before the first retry.
    pub first_wait_seconds: u64,
    /// The cap on every wait.
    pub longest_wait_seconds: u64,
    /// How many follow the first attempt.
    pub retries: u32,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self { first_wait_seconds: 30, longest_wait_seconds: 3600, retries: 8 }
    }
}

impl RetrySettings {
    /// How long to wait before retry `number` (the first is 1); `None` when it is not one of the retries.
    pub fn retry_wait(&self, number: u32) -> Option<Duration> {
        if !(1..=self.retries).contains(&number) {
            return None;
        }
        let factor = 1u64.checked_shl(number - 1).unwrap_or(u64::MAX);
        let seconds = self.first_wait_seconds.saturating_mul(factor).min(self.longest_wait_seconds);
        Some(Duration::from_secs(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_those_of_the_contract() {
        let retry = RetrySettings::default();
        let waits: Vec<_> = (0..=10).map(|n| retry.retry_wait(n).map(|wait| wait.as_secs())).collect();
        let mut expected: Vec<_> = [30, 60, 120, 240, 480, 960, 1920, 3600].into_iter().map(Some).collect();
        expected.insert(0, None);
        expected.extend([None, None]);
        assert_eq!(waits, expected);
    }

    #[test]
    fn waits_never_pass_the_cap_nor_overflow() {
        let retry = RetrySettings { first_wait_seconds: u64::MAX / 2, longest_wait_seconds: 7, retries: 200 };
        assert!((1..=200).all(|n| retry.retry_wait(n) == Some(Duration::from_secs(7))));
    }
}
