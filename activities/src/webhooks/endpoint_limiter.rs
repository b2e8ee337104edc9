//! Limits the number of concurrent requests to one endpoint.
//!
//! A receiver that never responds holds each request until the time-out. Without a limit, such
//! requests would fill every slot of a worker and delay the events of all other endpoints.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::WebhookEndpointId;

/// Maximum number of concurrent requests of one process to one endpoint: a small part of its slots.
const MAX_REQUESTS_PER_ENDPOINT: usize = 8;

/// Counts the requests in flight, by endpoint.
#[derive(Debug, Clone, Default)]
pub(crate) struct EndpointLimiter(Arc<Mutex<HashMap<WebhookEndpointId, usize>>>);

/// Permission for one request. Dropping it ends the request.
#[derive(Debug)]
pub(crate) struct Permit {
    limiter: EndpointLimiter,
    endpoint: WebhookEndpointId,
}

impl EndpointLimiter {
    /// Returns a permit for one request to an endpoint, or `None` if the limit is reached.
    pub(crate) fn try_acquire(&self, endpoint: &WebhookEndpointId) -> Option<Permit> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(endpoint.clone()).or_default();
        if *count >= MAX_REQUESTS_PER_ENDPOINT {
            return None;
        }
        *count += 1;
        Some(Permit { limiter: self.clone(), endpoint: endpoint.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.limiter.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.endpoint) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.endpoint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_each_endpoint_separately() {
        let limiter = EndpointLimiter::default();
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
        assert!(limiter.0.lock().unwrap().is_empty(), "finished endpoints are removed");
    }
}
