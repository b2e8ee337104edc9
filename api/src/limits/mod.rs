//! Rate limits per API key, IP address and account.
//!
//! The limits use sliding windows: at any time, the window that ends then holds at most the limit.
//! (A token bucket would allow twice as many requests in its first window.) A single process counts
//! in memory; several processes count in one Redis, with the same results.

pub(crate) mod admission;
mod settings;
mod shared;
mod window;

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, HeaderValue};

pub use settings::{Limit, LimitSettings};
pub use shared::{SharedError, SharedWindows};
pub use window::SlidingWindows;

use std::time::Duration;

/// Limits that count a request, besides the one per address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// `per_key`.
    Standard,
    /// `per_key`, and the search limits per account.
    Search,
    /// `per_key`, and the question limits per account. Only answered questions count for the day.
    Ask,
}

/// Windows at least this long are daily limits, whose refusals have `retry_after` in the body too.
const DAY_SECONDS: u32 = 24 * 60 * 60;

/// Outcome of counting one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Name of the limit, as in `RateLimit-Policy`.
    pub name: &'static str,
    /// The limit itself.
    pub limit: Limit,
    /// Number of requests that are still allowed.
    pub remaining: u32,
    /// Time until the next request is allowed (after a refusal), or until the window is empty.
    pub reset: Duration,
    /// Whether the request is allowed.
    pub allowed: bool,
}

impl Verdict {
    /// Returns the whole seconds until `reset`, rounded up, at least 1.
    pub fn reset_seconds(&self) -> u64 {
        (self.reset.as_millis().div_ceil(1000) as u64).max(1)
    }

    /// Returns whether the limit is a daily one.
    pub fn is_daily(&self) -> bool {
        self.limit.window_seconds >= DAY_SECONDS
    }

    /// Appends `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers) to those
    /// of other limits of the same request.
    pub fn headers(&self, headers: &mut HeaderMap) {
        let policy = format!("\"{}\";q={};w={}", self.name, self.limit.requests, self.limit.window_seconds);
        let state = format!("\"{}\";r={};t={}", self.name, self.remaining, self.reset_seconds());
        for (name, value) in [("ratelimit-policy", policy), ("ratelimit", state)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.append(HeaderName::from_static(name), value);
            }
        }
    }
}

/// A counted request that can be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    name: &'static str,
    subject: String,
    number: u64,
}

/// Counts requests and refuses those over a limit.
pub enum RateLimiter {
    /// Counts in memory.
    InProcess(SlidingWindows),
    /// Counts in a Redis that several processes share.
    Shared(SharedWindows),
}

impl RateLimiter {
    /// Creates a limiter for a single process.
    pub fn in_process() -> Self {
        Self::InProcess(SlidingWindows::default())
    }

    /// Creates the configured limiter. It connects on first use.
    ///
    /// # Errors
    /// Returns an error if `redis_url` is not a valid Redis URL, or `redis_ca_file` is no PEM file.
    pub fn new(settings: &LimitSettings) -> Result<Self, SharedError> {
        let Some(url) = &settings.redis_url else { return Ok(Self::in_process()) };
        let timeout = Duration::from_millis(settings.redis_timeout_milliseconds);
        Ok(Self::Shared(SharedWindows::new(url, settings.redis_ca_file.as_deref(), timeout)?))
    }

    /// Counts one request of a subject against the limit with this name.
    pub async fn check(&self, name: &'static str, subject: &str, limit: Limit) -> Verdict {
        self.reserve(name, subject, limit).await.0
    }

    /// Counts like [`RateLimiter::check`], and returns a ticket to give an allowed request back.
    pub async fn reserve(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
    ) -> (Verdict, Option<Ticket>) {
        match self {
            Self::InProcess(windows) => windows.check(name, subject, limit, window::now()),
            Self::Shared(windows) => windows.check_or_fall_back(name, subject, limit).await,
        }
    }

    /// Removes a request from its window. Idempotent.
    pub async fn give_back(&self, ticket: &Ticket) {
        match self {
            Self::InProcess(windows) => windows.give_back(ticket),
            Self::Shared(windows) => windows.give_back(ticket).await,
        }
    }

    /// Returns the number of failed calls to Redis.
    pub fn failures(&self) -> u64 {
        match self {
            Self::InProcess(_) => 0,
            Self::Shared(windows) => windows.failures(),
        }
    }
}

/// Returns the subject of an address: the address for IPv4, the /64 network for IPv6.
pub fn address_subject(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_an_ipv6_network_as_one_subject() {
        let subject = |text: &str| address_subject(text.parse().unwrap());
        assert_eq!(subject("2001:db8:1:2::1"), subject("2001:db8:1:2:ffff::9"));
        assert_ne!(subject("2001:db8:1:2::1"), subject("2001:db8:1:3::1"));
        assert_eq!(subject("::ffff:192.0.2.1"), subject("192.0.2.1"));
    }
}
