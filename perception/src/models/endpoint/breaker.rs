//! Circuit breaker: an endpoint that doesn't respond is left alone for a while.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use super::EndpointError;

/// Time for which requests are refused after the circuit opened first. It doubles while the endpoint
/// stays silent.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
/// Longest time for which requests are refused.
const MAX_PAUSE: Duration = Duration::from_secs(600);
/// Time after a response for which the endpoint counts as alive.
const ALIVE_FOR: Duration = Duration::from_secs(60);
/// Number of timeouts in a row that open the circuit: a busy server may miss one.
const MAX_TIMEOUTS: u32 = 2;
/// Number of requests in a row that fail with 429 or 5xx after their retries and open the circuit.
const MAX_REFUSALS: u32 = 3;

/// State of the connection to one endpoint, shared by all its clients in this process.
#[derive(Debug, Default)]
pub(super) struct CircuitBreaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    timeouts: u32,
    refusals: u32,
    /// The circuit is open until this time; afterwards one request tries again.
    open_until: Option<Instant>,
    pause: Option<Duration>,
    last_response: Option<Instant>,
}

impl CircuitBreaker {
    /// Returns whether the endpoint should be probed before the next request, because it hasn't
    /// responded lately.
    ///
    /// # Errors
    /// Returns [`EndpointError::Paused`] while the circuit is open.
    pub(super) fn check(&self, now: Instant) -> Result<bool, EndpointError> {
        let mut state = self.lock();
        if let Some(until) = state.open_until {
            if now < until {
                return Err(EndpointError::Paused);
            }
            // This request tries; the others wait for its outcome.
            state.open_until = Some(now + state.pause.unwrap_or(FIRST_PAUSE));
        }
        Ok(state.last_response.is_none_or(|last| now.duration_since(last) > ALIVE_FOR))
    }

    /// Records that the endpoint responded, with any status.
    pub(super) fn responded(&self, now: Instant) {
        self.lock().last_response = Some(now);
    }

    /// Records a request that succeeded, or that the endpoint rightly refused.
    pub(super) fn succeeded(&self, now: Instant) {
        *self.lock() = State { last_response: Some(now), ..State::default() };
    }

    /// Records a request that failed after its retries.
    pub(super) fn failed(&self, error: &EndpointError, now: Instant) {
        let mut state = self.lock();
        let was_open = state.open_until.is_some();
        let opens = match error {
            EndpointError::Unreachable => true,
            EndpointError::Timeout => {
                state.timeouts += 1;
                was_open || state.timeouts >= MAX_TIMEOUTS
            }
            EndpointError::RateLimited | EndpointError::Status(500..=599) => {
                state.refusals += 1;
                was_open || state.refusals >= MAX_REFUSALS
            }
            _ => false,
        };
        if opens {
            let pause = state.pause.map_or(FIRST_PAUSE, |pause| (pause * 2).min(MAX_PAUSE));
            state.pause = Some(pause);
            state.open_until = Some(now + pause);
            state.last_response = None;
            tracing::warn!(%error, seconds = pause.as_secs(), "the endpoint is left alone for a while");
        }
    }

    /// Opens the circuit at once: the endpoint didn't even respond to a probe.
    pub(super) fn is_silent(&self, now: Instant) {
        self.failed(&EndpointError::Unreachable, now);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_endpoint_is_asked_less_and_less_often() {
        let (breaker, start) = (CircuitBreaker::default(), Instant::now());
        assert_eq!(breaker.check(start), Ok(true), "never responded");
        breaker.is_silent(start);
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(breaker.check(after(29)), Err(EndpointError::Paused));
        assert_eq!(breaker.check(after(30)), Ok(true), "one request tries");
        assert_eq!(breaker.check(after(31)), Err(EndpointError::Paused), "the others wait");
        breaker.is_silent(after(33));
        assert_eq!(breaker.check(after(92)), Err(EndpointError::Paused), "60 seconds");
        assert_eq!(breaker.check(after(93)), Ok(true));
        breaker.succeeded(after(94));
        assert_eq!((breaker.check(after(95)), breaker.check(after(200))), (Ok(false), Ok(true)));
    }

    #[test]
    fn one_slow_request_does_not_open_the_circuit() {
        let (breaker, now) = (CircuitBreaker::default(), Instant::now());
        breaker.failed(&EndpointError::Timeout, now);
        assert!(breaker.check(now).is_ok());
        breaker.failed(&EndpointError::Timeout, now);
        assert_eq!(breaker.check(now), Err(EndpointError::Paused));
        breaker.succeeded(now);
        for _ in 0..9 {
            breaker.failed(&EndpointError::InvalidResponse(String::new()), now);
        }
        assert!(breaker.check(now).is_ok(), "it responds");
    }
}
