//! The named limits.

use domain::Secret;
use serde::{Deserialize, Serialize};

/// At most so many in so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// How many.
    pub requests: u32,
    /// In how many seconds.
    pub window_seconds: u32,
}

impl Limit {
    /// So many in a minute.
    pub const fn per_minute(requests: u32) -> Self {
        Self { requests, window_seconds: 60 }
    }

    /// So many in a day.
    pub const fn per_day(requests: u32) -> Self {
        Self { requests, window_seconds: 24 * 60 * 60 }
    }
}

/// The named limits. Of each, number and window can be set apart from each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct LimitSettings {
    /// Requests of one API key.
    pub per_key: Limit,
    /// Requests from one IP address (for IPv6 from one /64).
    pub per_address: Limit,
    /// Searches of one account and mode.
    pub search: Limit,
    /// Searches of one account and mode in the long run.
    pub search_daily: Limit,
    /// Questions of one account and mode.
    pub ask: Limit,
    /// Answered questions of one account and mode in the long run.
    pub ask_daily: Limit,
    /// Test events and replays that one account and mode asks for.
    pub webhook_sends: Limit,
    /// Most bytes an account holds, in each mode, for scans that are not started: videos as declared,
    /// photos as uploaded.
    pub unstarted_upload_bytes: u64,
    /// A Redis in which all API processes count together, for example `redis://:password@host:6379/0`;
    /// without it each counts for itself.
    pub redis_url: Option<Secret>,
    /// How long the Redis may take to answer before this process counts alone for a second.
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
            webhook_sends: Limit::per_minute(10),
            unstarted_upload_bytes: 20 * 1024 * 1024 * 1024,
            redis_url: None,
            redis_timeout_milliseconds: 250,
        }
    }
}

impl LimitSettings {
    /// A sentence for each setting that is wrong.
    pub(crate) fn defects(&self) -> Vec<String> {
        let named = [
            ("per_key", self.per_key),
            ("per_address", self.per_address),
            ("search", self.search),
            ("search_daily", self.search_daily),
            ("ask", self.ask),
            ("ask_daily", self.ask_daily),
            ("webhook_sends", self.webhook_sends),
        ];
        let blocked = named.into_iter().filter(|(_, limit)| limit.requests == 0 || limit.window_seconds == 0);
        let mut defects: Vec<String> = blocked
            .map(|(name, _)| format!("limits.{name} must let something through in some time"))
            .collect();
        if self.redis_timeout_milliseconds == 0 {
            defects.push("limits.redis_timeout_milliseconds must not be 0".to_owned());
        }
        if let Err(error) = super::RateLimiter::new(self) {
            defects.push(format!("limits.redis_url: {error}"));
        }
        defects
    }
}

/// What of a limit is written in a configuration; the rest stays as it is by default.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Change {
    requests: Option<u32>,
    window_seconds: Option<u32>,
}

impl Change {
    fn of(self, limit: Limit) -> Limit {
        Limit {
            requests: self.requests.unwrap_or(limit.requests),
            window_seconds: self.window_seconds.unwrap_or(limit.window_seconds),
        }
    }
}

/// The limits as they are written in a configuration.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    per_key: Change,
    per_address: Change,
    search: Change,
    search_daily: Change,
    ask: Change,
    ask_daily: Change,
    webhook_sends: Change,
    unstarted_upload_bytes: Option<u64>,
    redis_url: Option<Secret>,
    redis_timeout_milliseconds: Option<u64>,
}

impl From<Written> for LimitSettings {
    fn from(written: Written) -> Self {
        let usual = Self::default();
        Self {
            per_key: written.per_key.of(usual.per_key),
            per_address: written.per_address.of(usual.per_address),
            search: written.search.of(usual.search),
            search_daily: written.search_daily.of(usual.search_daily),
            ask: written.ask.of(usual.ask),
            ask_daily: written.ask_daily.of(usual.ask_daily),
            webhook_sends: written.webhook_sends.of(usual.webhook_sends),
            unstarted_upload_bytes: written.unstarted_upload_bytes.unwrap_or(usual.unstarted_upload_bytes),
            redis_url: written.redis_url,
            redis_timeout_milliseconds: written
                .redis_timeout_milliseconds
                .unwrap_or(usual.redis_timeout_milliseconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_can_be_set_alone() {
        let read = |text: &str| serde_json::from_str::<LimitSettings>(text);
        assert_eq!(read("{}").unwrap(), LimitSettings::default());
        let set = read(r#"{"ask_daily": {"requests": 7}, "per_key": {"window_seconds": 1}}"#).unwrap();
        assert_eq!(set.ask_daily, Limit::per_day(7));
        assert_eq!(set.per_key, Limit { requests: 120, window_seconds: 1 });
        assert_eq!(set.search, LimitSettings::default().search);
        assert!(read(r#"{"per_kay": {"requests": 7}}"#).is_err());
        assert!(read(r#"{"per_key": {"request": 7}}"#).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = LimitSettings {
            search: Limit::per_minute(0),
            redis_url: Some(Secret::new("http://example.com")),
            ..LimitSettings::default()
        };
        assert_eq!(wrong.defects().len(), 2, "{:?}", wrong.defects());
    }
}
