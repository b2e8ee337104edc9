//! How many requests are under way to one endpoint.
//!
//! A receiver that never answers keeps each of its requests for the whole time limit. If all of them were
//! let through, they would fill every slot of a worker, and everyone else's events would wait for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::WebhookEndpointId;

/// Most requests of one process to one endpoint at once: a small part of a worker's slots.
const MOST: usize = 8;

/// Counts requests that are under way.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<WebhookEndpointId, usize>>>);

/// One request that is under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    counts: InFlight,
    endpoint: WebhookEndpointId,
}

impl InFlight {
    /// A place for one more request to an endpoint; `None` when as many are under way as may be.
    pub(crate) fn enter(&self, endpoint: &WebhookEndpointId) -> Option<Place> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(endpoint.clone()).or_default();
        if *count >= MOST {
            return None;
        }
        *count += 1;
        Some(Place { counts: self.clone(), endpoint: endpoint.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn an_endpoint_has_its_places_and_leaves_those_of_others() {
        let in_flight = InFlight::default();
        let (hanging, other) = (WebhookEndpointId::new(), WebhookEndpointId::new());
        let mut places: Vec<_> = (0..MOST).map(|_| in_flight.enter(&hanging).expect("a place")).collect();
        assert!(in_flight.enter(&hanging).is_none());
        assert!(in_flight.enter(&other).is_some());
        places.pop();
        let again = in_flight.enter(&hanging);
        assert!(again.is_some() && in_flight.enter(&hanging).is_none());
        drop((places, again));
        assert!(in_flight.0.lock().unwrap().is_empty(), "nothing is kept of who is done");
    }
}
