//! Rate limits: how many requests of a class one subject may make in any window of time.
//!
//! The window slides: at no moment have more than the limit been let through in the window that ends
//! there. (A bucket that refills would let twice as many through in its first window.) One process counts
//! in its memory; several count in one Redis, with the same results.

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

/// Which limits count a request, besides the one by address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// `per_key`.
    Standard,
    /// `per_key`, and those of search by account.
    Search,
    /// `per_key`, and those of questions by account; only answered ones count for the day.
    Ask,
}

/// A window this long or longer is a daily limit, whose refusals say `retry_after` in the body too.
const DAY_SECONDS: u32 = 24 * 60 * 60;

/// What became of one request that was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Name of the limit, as in `RateLimit-Policy`.
    pub name: &'static str,
    /// The limit.
    pub limit: Limit,
    /// How many more are let through now.
    pub remaining: u32,
    /// Until one more is let through (refused), or until the window is empty of what is in it (let through).
    pub reset: Duration,
    /// Whether the request goes on.
    pub allowed: bool,
}

impl Verdict {
    /// Whole seconds until `reset`, at least one, so that who waits that long is let through.
    pub fn reset_seconds(&self) -> u64 {
        (self.reset.as_millis().div_ceil(1000) as u64).max(1)
    }

    /// Whether the limit is a daily one.
    pub fn is_daily(&self) -> bool {
        self.limit.window_seconds >= DAY_SECONDS
    }

    /// `RateLimit` and `RateLimit-Policy`, as draft-ietf-httpapi-ratelimit-headers has them: beside those of
    /// other limits that counted the same request.
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

/// A counted request that may be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    name: &'static str,
    subject: String,
    number: u64,
}

/// Counts requests and refuses what is over a limit.
pub enum RateLimiter {
    /// In the memory of this process.
    InProcess(SlidingWindows),
    /// In a Redis that several processes share.
    Shared(SharedWindows),
}

impl RateLimiter {
    /// A limiter for one process.
    pub fn in_process() -> Self {
        Self::InProcess(SlidingWindows::default())
    }

    /// The limiter that the settings ask for. It connects when it first counts.
    ///
    /// # Errors
    /// When `redis_url` is no address of a Redis.
    pub fn new(settings: &LimitSettings) -> Result<Self, SharedError> {
        let Some(url) = &settings.redis_url else { return Ok(Self::in_process()) };
        let timeout = Duration::from_millis(settings.redis_timeout_milliseconds);
        Ok(Self::Shared(SharedWindows::new(url, timeout)?))
    }

    /// Counts one request of a subject under the limit of this name.
    pub async fn check(&self, name: &'static str, subject: &str, limit: Limit) -> Verdict {
        self.reserve(name, subject, limit).await.0
    }

    /// As [`RateLimiter::check`], with a ticket to take it back if it was let through.
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

    /// Takes a request back, as if it had never been made. Twice is as once.
    pub async fn give_back(&self, ticket: &Ticket) {
        match self {
            Self::InProcess(windows) => windows.give_back(ticket),
            Self::Shared(windows) => windows.give_back(ticket).await,
        }
    }

    /// How often the Redis could not be asked, so that this process counted alone.
    pub fn failures(&self) -> u64 {
        match self {
            Self::InProcess(_) => 0,
            Self::Shared(windows) => windows.failures(),
        }
    }
}

/// What an address is counted as: an IPv6 network of 64 bits is one subscriber.
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
    fn one_network_is_one_subject() {
        let subject = |text: &str| address_subject(text.parse().unwrap());
        assert_eq!(subject("2001:db8:1:2::1"), subject("2001:db8:1:2:ffff::9"));
        assert_ne!(subject("2001:db8:1:2::1"), subject("2001:db8:1:3::1"));
        assert_eq!(subject("::ffff:192.0.2.1"), subject("192.0.2.1"));
    }
}
