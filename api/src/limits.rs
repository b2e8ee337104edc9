//! Rate limits: how many requests of a class one subject may make in any window of time.
//!
//! The window slides: at no moment have more than the limit been let through in the window that ends
//! there. (A bucket that refills would let twice as many through in its first window.)

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};

/// Which limit counts a request, besides the one by address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// `per_key`.
    Standard,
}

/// At most so many in so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// How many.
    pub requests: u32,
    /// In how many seconds.
    pub window_seconds: u32,
}

/// The named limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Requests of one API key.
    pub per_key: Limit,
    /// Requests from one IP address (for IPv6 from one /64).
    pub per_address: Limit,
    /// Most bytes an account holds, in each mode, for scans that are not started: videos as declared,
    /// photos as uploaded.
    pub unstarted_upload_bytes: u64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            per_key: Limit { requests: 120, window_seconds: 60 },
            per_address: Limit { requests: 1_200, window_seconds: 60 },
            unstarted_upload_bytes: 20 * 1024 * 1024 * 1024,
        }
    }
}

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

    /// `RateLimit` and `RateLimit-Policy`, as draft-ietf-httpapi-ratelimit-headers has them.
    pub fn headers(&self, headers: &mut HeaderMap) {
        let policy = format!("\"{}\";q={};w={}", self.name, self.limit.requests, self.limit.window_seconds);
        let state = format!("\"{}\";r={};t={}", self.name, self.remaining, self.reset_seconds());
        for (name, value) in [("ratelimit-policy", policy), ("ratelimit", state)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

/// Counts requests and refuses what is over a limit.
pub enum RateLimiter {
    /// In the memory of this process.
    InProcess(SlidingWindows),
}

impl RateLimiter {
    /// A limiter for one process.
    pub fn in_process() -> Self {
        Self::InProcess(SlidingWindows::default())
    }

    /// Counts one request of a subject under the limit of this name.
    pub async fn check(&self, name: &'static str, subject: &str, limit: Limit) -> Verdict {
        match self {
            Self::InProcess(windows) => windows.check(name, subject, limit, Instant::now()),
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

type Subject = (&'static str, String);

/// The times of the requests that were let through, by subject.
#[derive(Default)]
pub struct SlidingWindows {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    windows: HashMap<Subject, VecDeque<Instant>>,
    checks_since_sweep: u32,
}

/// So many checks apart, subjects that went quiet are forgotten.
const SWEEP_EVERY: u32 = 10_000;

impl SlidingWindows {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between statements, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one request at a moment. Refused requests are not counted, so a client that keeps
    /// asking is let through again as soon as its earlier requests leave the window.
    pub fn check(&self, name: &'static str, subject: &str, limit: Limit, now: Instant) -> Verdict {
        let window = Duration::from_secs(u64::from(limit.window_seconds));
        let mut state = self.lock();
        state.checks_since_sweep += 1;
        if state.checks_since_sweep >= SWEEP_EVERY {
            state.checks_since_sweep = 0;
            state.windows.retain(|_, times| {
                times.back().is_some_and(|last| now.saturating_duration_since(*last) < window)
            });
        }
        let times = state.windows.entry((name, subject.to_owned())).or_default();
        while times.front().is_some_and(|first| now.saturating_duration_since(*first) >= window) {
            times.pop_front();
        }
        let left = |time: &Instant| window.saturating_sub(now.saturating_duration_since(*time));
        if times.len() >= limit.requests as usize {
            let reset = times.front().map_or(window, left);
            return Verdict { name, limit, remaining: 0, reset, allowed: false };
        }
        times.push_back(now);
        let remaining = limit.requests - u32::try_from(times.len()).unwrap_or(u32::MAX).min(limit.requests);
        let reset = times.back().map_or(window, left);
        Verdict { name, limit, remaining, reset, allowed: true }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMIT: Limit = Limit { requests: 3, window_seconds: 60 };

    #[test]
    fn lets_the_limit_through_and_says_when_to_come_back() {
        let windows = SlidingWindows::default();
        let start = Instant::now();
        for (second, remaining) in [(0, 2), (10, 1), (20, 0)] {
            let verdict = windows.check("key", "a", LIMIT, start + Duration::from_secs(second));
            assert_eq!((verdict.allowed, verdict.remaining), (true, remaining));
        }
        let refused = windows.check("key", "a", LIMIT, start + Duration::from_secs(30));
        assert_eq!((refused.allowed, refused.reset_seconds()), (false, 30));
        assert!(windows.check("key", "b", LIMIT, start).allowed, "subjects are apart");
        assert!(windows.check("address", "a", LIMIT, start).allowed, "limits are apart");
        assert!(windows.check("key", "a", LIMIT, start + Duration::from_secs(60)).allowed);
    }

    #[test]
    fn one_network_is_one_subject() {
        let subject = |text: &str| address_subject(text.parse().unwrap());
        assert_eq!(subject("2001:db8:1:2::1"), subject("2001:db8:1:2:ffff::9"));
        assert_ne!(subject("2001:db8:1:2::1"), subject("2001:db8:1:3::1"));
        assert_eq!(subject("::ffff:192.0.2.1"), subject("192.0.2.1"));
    }

    proptest! {
        #[test]
        fn no_window_holds_more_than_the_limit(gaps in prop::collection::vec(0u64..40_000, 1..60)) {
            let windows = SlidingWindows::default();
            let start = Instant::now();
            let mut at = 0;
            let mut passed: Vec<u64> = Vec::new();
            for gap in gaps {
                at += gap;
                let recent = passed.iter().filter(|t| at - **t < 60_000).count();
                let verdict = windows.check("key", "a", LIMIT, start + Duration::from_millis(at));
                prop_assert_eq!(verdict.allowed, recent < 3);
                if verdict.allowed {
                    passed.push(at);
                }
            }
        }
    }
}
