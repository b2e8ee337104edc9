//! Sliding windows in the memory of one process.

use std::{
    collections::{HashMap, VecDeque},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{Limit, Ticket, Verdict};

/// Returns the milliseconds of a monotonic clock.
pub(super) fn now() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_millis() as u64
}

type Subject = (&'static str, String);

/// The times of allowed requests, by subject.
#[derive(Default)]
pub struct SlidingWindows {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    windows: HashMap<Subject, Window>,
    checks_since_sweep: u32,
    last_number: u64,
}

#[derive(Default)]
struct Window {
    /// Time and number of each request, oldest first.
    requests: VecDeque<(u64, u64)>,
    milliseconds: u64,
}

impl Window {
    fn remove_expired(&mut self, now: u64) {
        while self.requests.front().is_some_and(|(at, _)| now.saturating_sub(*at) >= self.milliseconds) {
            self.requests.pop_front();
        }
    }
}

/// Number of checks between two removals of idle subjects.
const SWEEP_EVERY: u32 = 10_000;

impl SlidingWindows {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent between statements, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one request at a time in milliseconds; all calls must use the same clock. Refused
    /// requests do not count, so a client that keeps trying succeeds as soon as its earlier
    /// requests leave the window.
    pub fn check(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
        now: u64,
    ) -> (Verdict, Option<Ticket>) {
        let mut state = self.lock();
        state.checks_since_sweep += 1;
        if state.checks_since_sweep >= SWEEP_EVERY {
            state.checks_since_sweep = 0;
            state.windows.retain(|_, window| {
                window.remove_expired(now);
                !window.requests.is_empty()
            });
        }
        state.last_number += 1;
        let number = state.last_number;
        let window = state.windows.entry((name, subject.to_owned())).or_default();
        window.milliseconds = u64::from(limit.window_seconds) * 1000;
        window.remove_expired(now);
        let (count, max) = (window.requests.len(), limit.requests as usize);
        if let Some(over) = count.checked_sub(max) {
            let free_at = window.requests.get(over).map_or(now, |(at, _)| *at) + window.milliseconds;
            let reset = Duration::from_millis(free_at.saturating_sub(now));
            return (Verdict { name, limit, remaining: 0, reset, allowed: false }, None);
        }
        window.requests.push_back((now, number));
        let remaining = u32::try_from(max - count - 1).unwrap_or(u32::MAX);
        let reset = Duration::from_millis(window.milliseconds);
        let ticket = Ticket { name, subject: subject.to_owned(), number };
        (Verdict { name, limit, remaining, reset, allowed: true }, Some(ticket))
    }

    /// Removes a request from its window.
    pub fn give_back(&self, ticket: &Ticket) {
        if let Some(window) = self.lock().windows.get_mut(&(ticket.name, ticket.subject.clone())) {
            window.requests.retain(|(_, number)| *number != ticket.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit { requests: 3, window_seconds: 60 };

    #[test]
    fn allows_the_limit_and_reports_the_reset() {
        let windows = SlidingWindows::default();
        let check = |name, subject, second: u64| windows.check(name, subject, LIMIT, second * 1000).0;
        for (second, remaining) in [(0, 2), (10, 1), (20, 0)] {
            let verdict = check("key", "a", second);
            assert_eq!((verdict.allowed, verdict.remaining), (true, remaining));
        }
        let refused = check("key", "a", 30);
        assert_eq!((refused.allowed, refused.reset_seconds()), (false, 30));
        assert!(check("key", "b", 0).allowed, "subjects are independent");
        assert!(check("address", "a", 0).allowed, "limits are independent");
        assert!(check("key", "a", 60).allowed);
    }

    #[test]
    fn removes_idle_subjects_and_keeps_long_windows() {
        let windows = SlidingWindows::default();
        let daily = Limit::per_day(1);
        assert!(windows.check("daily", "a", daily, 0).0.allowed);
        for number in 0..u64::from(SWEEP_EVERY) * 2 {
            windows.check("key", &number.to_string(), LIMIT, number * 100);
        }
        assert!(!windows.check("daily", "a", daily, 3_000_000).0.allowed);
        assert!(windows.lock().windows.len() < SWEEP_EVERY as usize * 3 / 2);
    }
}
