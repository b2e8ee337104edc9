//! Limits the number of concurrent requests to one endpoint and of one account.
//!
//! A receiver that never responds holds each request until the time-out. Without a limit, such
//! requests would fill every slot of a worker and delay the events of all other endpoints. The limit of
//! an account holds although it has several such endpoints.
//!
//! A delivery that finds no free slot waits in the engine, and each look costs a dispatch. The waits
//! double, so that the number of dispatches grows with the logarithm of the time that the endpoint
//! hangs, and not with the time itself.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{AccountId, WebhookEndpointId};

/// Maximum number of concurrent requests of one process to one endpoint: a small part of its slots.
const MAX_REQUESTS_PER_ENDPOINT: usize = 8;
/// Maximum number of concurrent requests of one process for one account: a fifth of its slots.
const MAX_REQUESTS_PER_ACCOUNT: usize = 40;
/// Longest wait of a delivery after its first refusal.
const FIRST_WAIT: Duration = Duration::from_secs(4);
/// Longest wait of a delivery: the time that an endpoint that works again is idle at most.
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// Counts the requests in flight, by endpoint and by account.
#[derive(Debug, Clone)]
pub(crate) struct DeliveryLimiter {
    pub(crate) endpoints: Limiter<WebhookEndpointId>,
    pub(crate) accounts: Limiter<AccountId>,
}

impl Default for DeliveryLimiter {
    fn default() -> Self {
        Self {
            endpoints: Limiter::new(MAX_REQUESTS_PER_ENDPOINT),
            accounts: Limiter::new(MAX_REQUESTS_PER_ACCOUNT),
        }
    }
}

/// Counts what is in flight by key, up to a maximum for each key.
#[derive(Debug)]
pub(crate) struct Limiter<K>(Arc<Counts<K>>);

#[derive(Debug)]
struct Counts<K> {
    maximum: usize,
    in_flight: Mutex<HashMap<K, usize>>,
}

/// Permission for one request. Dropping it ends the request.
#[derive(Debug)]
pub(crate) struct Permit<K: Eq + Hash> {
    limiter: Limiter<K>,
    key: K,
}

impl<K> Clone for Limiter<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Clone + Eq + Hash> Limiter<K> {
    fn new(maximum: usize) -> Self {
        Self(Arc::new(Counts { maximum, in_flight: Mutex::default() }))
    }

    /// Returns a permit for one request, or `None` if the maximum of this key is reached.
    pub(crate) fn try_acquire(&self, key: &K) -> Option<Permit<K>> {
        let mut counts = self.0.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_default();
        if *count >= self.0.maximum {
            return None;
        }
        *count += 1;
        Some(Permit { limiter: self.clone(), key: key.clone() })
    }
}

/// Returns the wait of a delivery that was refused at this attempt of its activity; the first is 1. Up
/// to half of the wait is jitter, which depends on the delivery and the attempt, so that deliveries
/// that were refused together do not come back together.
pub(crate) fn wait_after_refusal(delivery: &impl Hash, attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    let longest = (FIRST_WAIT * 2_u32.pow(doublings)).min(LONGEST_WAIT);
    let mut hasher = DefaultHasher::new();
    (delivery, attempt).hash(&mut hasher);
    let jitter = u32::try_from(hasher.finish() % 1_000).unwrap_or(0);
    longest - longest / 2 * jitter / 1_000
}

impl<K: Eq + Hash> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut counts = self.limiter.0.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_differ() {
        for attempt in 1..=40 {
            let longest = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(LONGEST_WAIT);
            let waits: Vec<_> = (0..200).map(|n| wait_after_refusal(&n, attempt)).collect();
            assert!(waits.iter().all(|wait| *wait > longest / 2 && *wait <= longest), "{attempt}");
            let distinct: std::collections::HashSet<_> = waits.iter().collect();
            assert!(distinct.len() > 100, "{} different waits at attempt {attempt}", distinct.len());
        }
    }

    #[test]
    fn an_hour_of_refusals_costs_few_dispatches() {
        let (mut waited, mut dispatches) = (Duration::ZERO, 0);
        while waited < Duration::from_secs(60 * 60) {
            dispatches += 1;
            waited += wait_after_refusal(&"evt_1", dispatches);
        }
        assert!(dispatches <= 30, "{dispatches} dispatches in an hour");
    }

    #[test]
    fn limits_each_endpoint_separately() {
        let limiter = DeliveryLimiter::default().endpoints;
        let (hanging, other) = (WebhookEndpointId::new(), WebhookEndpointId::new());
        let mut permits: Vec<_> = (0..MAX_REQUESTS_PER_ENDPOINT)
            .map(|_| limiter.try_acquire(&hanging).expect("a permit"))
            .collect();
        assert!(limiter.try_acquire(&hanging).is_none());
        assert!(limiter.try_acquire(&other).is_some());
        permits.pop();
        let again = limiter.try_acquire(&hanging);
        assert!(again.is_some() && limiter.try_acquire(&hanging).is_none());
        drop((permits, again));
        assert!(limiter.0.in_flight.lock().unwrap().is_empty(), "finished endpoints are removed");
    }

    #[test]
    fn an_account_with_many_hanging_endpoints_leaves_slots_to_others() {
        let DeliveryLimiter { endpoints, accounts } = DeliveryLimiter::default();
        let (account, other) = (AccountId::new(), AccountId::new());
        let mut held = Vec::new();
        for _ in 0..entities::webhook_endpoints::MAX_ENDPOINTS {
            let endpoint = WebhookEndpointId::new();
            while let Some(permit) = endpoints.try_acquire(&endpoint) {
                let Some(of_account) = accounts.try_acquire(&account) else { break };
                held.push((permit, of_account));
            }
        }
        assert_eq!(held.len(), MAX_REQUESTS_PER_ACCOUNT);
        assert!(accounts.try_acquire(&other).is_some());
    }
}
