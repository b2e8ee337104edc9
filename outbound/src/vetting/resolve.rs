//! Resolves hosts and checks that all their addresses are public.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::Arc,
};

use async_trait::async_trait;
use tokio::sync::Semaphore;

use super::{Policy, Refusal, RefusalCode, VettedUrl};

/// The only port that webhooks are sent to.
const HTTPS_PORT: u16 = 443;

/// Resolves host names. A trait, so that tests can act as a hostile name server.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// Returns all addresses of `host`, in the order to try them.
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Maximum number of concurrent look-ups of a [`SystemResolver`].
const MAX_LOOKUPS: usize = 32;

/// The resolver of the operating system. It blocks a thread for each look-up: up to 30 seconds if a name
/// server does not respond, long after the request has given up. Their number is bounded, so that slow
/// name servers leave the blocking threads of the process to other work. Clones share the bound.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    threads: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { threads: Arc::new(Semaphore::new(MAX_LOOKUPS)) }
    }
}

impl SystemResolver {
    /// Runs a blocking look-up once a thread is free. The look-up keeps its thread until it ends, even if
    /// the caller has given up.
    async fn run<T: Send + 'static>(
        &self,
        lookup: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let thread = self.threads.clone().acquire_owned().await.map_err(io::Error::other)?;
        let running = tokio::task::spawn_blocking(move || {
            let _thread = thread;
            lookup()
        });
        running.await.map_err(io::Error::other)?
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        // The final dot disables the machine's search domains. In a cluster, `example.com` would
        // otherwise be resolved as `example.com.svc.cluster.local` first.
        let name = format!("{host}.");
        let lookup = move || (name.as_str(), HTTPS_PORT).to_socket_addrs();
        Ok(self.run(lookup).await?.map(|address| address.ip()).collect())
    }
}

/// The addresses that one request may connect to. It cannot be cloned or stored, so every request
/// resolves and checks the host again.
#[derive(Debug, PartialEq, Eq)]
pub struct VettedTarget {
    url: VettedUrl,
    addresses: Vec<SocketAddr>,
    mapped: bool,
}

impl VettedTarget {
    /// Returns the vetted URL.
    pub fn url(&self) -> &VettedUrl {
        &self.url
    }

    /// Returns the addresses that may be dialled, in this order. Never empty.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns whether the address comes from the dial map instead of the DNS.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped
    }
}

/// Resolves the host and checks every address. One address that isn't public refuses the host,
/// because a host with both kinds is misconfigured or an attack.
pub async fn resolve(
    url: VettedUrl,
    policy: &Policy,
    resolver: &dyn Resolver,
) -> Result<VettedTarget, Refusal> {
    let found = resolver.lookup(url.host()).await.map_err(|error| {
        tracing::debug!(host = url.host(), %error, "webhook host does not resolve");
        RefusalCode::HostUnresolved
    })?;
    if found.is_empty() {
        return Err(RefusalCode::HostUnresolved.into());
    }
    for address in &found {
        if let Some(class) = policy.blocked_class(*address) {
            tracing::warn!(host = url.host(), %address, ?class, "webhook host refused");
            return Err(RefusalCode::AddressNotPublic.into());
        }
    }
    let addresses = found.into_iter().map(|ip| SocketAddr::new(ip, HTTPS_PORT)).collect();
    Ok(VettedTarget { url, addresses, mapped: false })
}

/// Builds a target for an address of the dial map, which contains only loopback addresses.
pub(crate) fn mapped(url: VettedUrl, address: SocketAddr) -> VettedTarget {
    VettedTarget { url, addresses: vec![address], mapped: true }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn lookups_that_hang_occupy_a_bounded_number_of_threads() {
        let resolver = SystemResolver::default();
        let (begun, mut beginning) = tokio::sync::mpsc::unbounded_channel();
        let mut hanging = Vec::new();
        let mut requests = Vec::new();
        for _ in 0..=MAX_LOOKUPS {
            let (end, ending) = mpsc::channel::<()>();
            let (resolver, begun) = (resolver.clone(), begun.clone());
            let lookup = move || {
                begun.send(()).map_err(io::Error::other)?;
                // Ends when the test drops its sender.
                let _ = ending.recv();
                Ok(())
            };
            hanging.push(end);
            requests.push(tokio::spawn(async move { resolver.run(lookup).await }));
        }
        for _ in 0..MAX_LOOKUPS {
            beginning.recv().await.unwrap();
        }
        // The callers give up, and the look-ups go on.
        requests.iter().take(MAX_LOOKUPS).for_each(tokio::task::JoinHandle::abort);
        tokio::task::yield_now().await;
        assert!(beginning.try_recv().is_err(), "no more than {MAX_LOOKUPS} threads");
        drop(hanging);
        beginning.recv().await.expect("the last look-up gets a thread");
    }
}
