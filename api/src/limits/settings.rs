//! Configuration of the rate limits.

use std::path::PathBuf;

use domain::Secret;
use serde::{Deserialize, Serialize};

/// A number of requests per window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Maximum number of requests.
    pub requests: u32,
    /// Length of the window, in seconds.
    pub window_seconds: u32,
}

impl Limit {
    /// Creates a limit per minute.
    pub const fn per_minute(requests: u32) -> Self {
        Self { requests, window_seconds: 60 }
    }

    /// Creates a limit per day.
    pub const fn per_day(requests: u32) -> Self {
        Self { requests, window_seconds: 24 * 60 * 60 }
    }
}

/// Configuration of the rate limits. Number and window of each limit can be set separately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "LimitOverrides")]
pub struct LimitSettings {
    /// Requests of one API key.
    pub per_key: Limit,
    /// Requests from one IP address (for IPv6 from one /64).
    pub per_address: Limit,
    /// Searches of one account and mode.
    pub search: Limit,
    /// Searches of one account and mode per day.
    pub search_daily: Limit,
    /// Questions of one account and mode.
    pub ask: Limit,
    /// Answered questions of one account and mode per day.
    pub ask_daily: Limit,
    /// Started scans of one account in test mode per day. `requests = 4294967295` is no limit, which
    /// is the default of `scan up`.
    pub test_scans_daily: Limit,
    /// Webhook test events and replays of one account and mode.
    pub webhook_sends: Limit,
    /// Maximum number of bytes of an account and mode for scans that are not started: declared
    /// sizes of videos, uploaded sizes of photos.
    pub unstarted_upload_bytes: u64,
    /// Maximum number of scans of an account and mode that are not started.
    pub unstarted_scans: u64,
    /// Maximum number of spaces of an account and mode.
    pub spaces: u64,
    /// Redis in which all API processes count together, for example
    /// `redis://:password@host:6379/0`, or `rediss://:password@host:6380/0` with TLS. Without it, each
    /// process counts for itself.
    pub redis_url: Option<Secret>,
    /// PEM file of the authority that signed the certificate of a `rediss://` Redis. If not set, the
    /// authorities of the system are trusted.
    pub redis_ca_file: Option<PathBuf>,
    /// Timeout of Redis, after which this process counts alone for a second.
    pub redis_timeout_milliseconds: u64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            per_key: Limit::per_minute(120),
            per_address: Limit::per_minute(1_200),
            search: Limit::per_minute(20),
            search_daily: Limit::per_day(1_000),
            ask: Limit::per_minute(20),
            ask_daily: Limit::per_day(200),
            test_scans_daily: Limit::per_day(200),
            webhook_sends: Limit::per_minute(10),
            unstarted_upload_bytes: 20 * 1024 * 1024 * 1024,
            unstarted_scans: 1_000,
            spaces: 10_000,
            redis_url: None,
            redis_ca_file: None,
            redis_timeout_milliseconds: 250,
        }
    }
}

impl LimitSettings {
    /// Returns a message for each invalid setting.
    pub(crate) fn defects(&self) -> Vec<String> {
        let limits = [
            ("per_key", self.per_key),
            ("per_address", self.per_address),
            ("search", self.search),
            ("search_daily", self.search_daily),
            ("ask", self.ask),
            ("ask_daily", self.ask_daily),
            ("test_scans_daily", self.test_scans_daily),
            ("webhook_sends", self.webhook_sends),
        ];
        let blocked =
            limits.into_iter().filter(|(_, limit)| limit.requests == 0 || limit.window_seconds == 0);
        let mut defects: Vec<String> = blocked
            .map(|(name, _)| {
                format!("limits.{name} must allow at least one request in a window of at least one second")
            })
            .collect();
        for (name, max) in [("unstarted_scans", self.unstarted_scans), ("spaces", self.spaces)] {
            if max == 0 {
                defects.push(format!("limits.{name} must not be 0"));
            }
        }
        if self.redis_timeout_milliseconds == 0 {
            defects.push("limits.redis_timeout_milliseconds must not be 0".to_owned());
        }
        if let Err(error) = super::RateLimiter::new(self) {
            defects.push(format!("limits.redis_url: {error}"));
        }
        defects
    }
}

/// The part of a limit that a configuration sets; the rest keeps its default.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitOverride {
    requests: Option<u32>,
    window_seconds: Option<u32>,
}

impl LimitOverride {
    fn apply_to(self, limit: Limit) -> Limit {
        Limit {
            requests: self.requests.unwrap_or(limit.requests),
            window_seconds: self.window_seconds.unwrap_or(limit.window_seconds),
        }
    }
}

/// The limits as a configuration file states them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitOverrides {
    per_key: LimitOverride,
    per_address: LimitOverride,
    search: LimitOverride,
    search_daily: LimitOverride,
    ask: LimitOverride,
    ask_daily: LimitOverride,
    test_scans_daily: LimitOverride,
    webhook_sends: LimitOverride,
    unstarted_upload_bytes: Option<u64>,
    unstarted_scans: Option<u64>,
    spaces: Option<u64>,
    redis_url: Option<Secret>,
    redis_ca_file: Option<PathBuf>,
    redis_timeout_milliseconds: Option<u64>,
}

impl From<LimitOverrides> for LimitSettings {
    fn from(overrides: LimitOverrides) -> Self {
        let defaults = Self::default();
        Self {
            per_key: overrides.per_key.apply_to(defaults.per_key),
            per_address: overrides.per_address.apply_to(defaults.per_address),
            search: overrides.search.apply_to(defaults.search),
            search_daily: overrides.search_daily.apply_to(defaults.search_daily),
            ask: overrides.ask.apply_to(defaults.ask),
            ask_daily: overrides.ask_daily.apply_to(defaults.ask_daily),
            test_scans_daily: overrides.test_scans_daily.apply_to(defaults.test_scans_daily),
            webhook_sends: overrides.webhook_sends.apply_to(defaults.webhook_sends),
            unstarted_upload_bytes: overrides
                .unstarted_upload_bytes
                .unwrap_or(defaults.unstarted_upload_bytes),
            unstarted_scans: overrides.unstarted_scans.unwrap_or(defaults.unstarted_scans),
            spaces: overrides.spaces.unwrap_or(defaults.spaces),
            redis_url: overrides.redis_url,
            redis_ca_file: overrides.redis_ca_file,
            redis_timeout_milliseconds: overrides
                .redis_timeout_milliseconds
                .unwrap_or(defaults.redis_timeout_milliseconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_one_number_and_keeps_the_other_defaults() {
        let parse = |text: &str| serde_json::from_str::<LimitSettings>(text);
        assert_eq!(parse("{}").unwrap(), LimitSettings::default());
        let set = parse(r#"{"ask_daily": {"requests": 7}, "per_key": {"window_seconds": 1}}"#).unwrap();
        assert_eq!(set.ask_daily, Limit::per_day(7));
        assert_eq!(set.per_key, Limit { requests: 120, window_seconds: 1 });
        assert_eq!(set.search, LimitSettings::default().search);
        assert!(parse(r#"{"per_kay": {"requests": 7}}"#).is_err());
        assert!(parse(r#"{"per_key": {"request": 7}}"#).is_err());
    }

    #[test]
    fn reports_each_invalid_setting() {
        let invalid = LimitSettings {
            search: Limit::per_minute(0),
            redis_url: Some(Secret::new("http://example.com")),
            ..LimitSettings::default()
        };
        assert_eq!(invalid.defects().len(), 2, "{:?}", invalid.defects());
    }
}
