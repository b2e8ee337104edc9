//! Bounds the connections of each IP address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ipnet::IpNet;

use crate::limits::address_subject;

/// Counts the open connections of each address (for IPv6 of each /64). Trusted proxies, which
/// forward many clients, are exempt.
#[derive(Clone)]
pub(super) struct AddressBudget {
    open: Arc<Mutex<HashMap<String, usize>>>,
    max: usize,
    exempt: Arc<[IpNet]>,
}

/// A counted connection, until it is dropped.
pub(super) struct Counted {
    open: Arc<Mutex<HashMap<String, usize>>>,
    subject: Option<String>,
}

impl AddressBudget {
    pub(super) fn new(max: usize, exempt: &[IpNet]) -> Self {
        Self { open: Arc::default(), max, exempt: exempt.into() }
    }

    /// Counts a connection. Returns `None` if its address has as many as it may have.
    pub(super) fn admit(&self, address: IpAddr) -> Option<Counted> {
        let open = self.open.clone();
        if self.exempt.iter().any(|net| net.contains(&address.to_canonical())) {
            return Some(Counted { open, subject: None });
        }
        let subject = address_subject(address);
        let mut counts = lock(&self.open);
        let count = counts.entry(subject.clone()).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(Counted { open, subject: Some(subject) })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let Some(subject) = &self.subject else { return };
        let mut counts = lock(&self.open);
        if let Some(count) = counts.get_mut(subject) {
            *count -= 1;
            if *count == 0 {
                counts.remove(subject);
            }
        }
    }
}

fn lock(counts: &Mutex<HashMap<String, usize>>) -> MutexGuard<'_, HashMap<String, usize>> {
    // Every statement leaves the counts consistent, so a poisoned lock is safe to use.
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_address_and_exempts_proxies() {
        let budget = AddressBudget::new(2, &["10.0.0.0/8".parse().unwrap()]);
        let admit = |text: &str| budget.admit(text.parse().unwrap());
        let (first, second) = (admit("192.0.2.1"), admit("::ffff:192.0.2.1"));
        assert!(first.is_some() && second.is_some() && admit("192.0.2.1").is_none());
        assert!(admit("192.0.2.2").is_some(), "addresses are independent");
        let many: Vec<_> = (0..9).map(|_| admit("10.1.1.1")).collect();
        assert!(many.iter().all(Option::is_some));
        drop(first);
        assert!(admit("192.0.2.1").is_some());
        drop((second, many));
        assert!(lock(&budget.open).is_empty(), "nothing is remembered of closed connections");
    }
}
