//! Resolves hosts and checks that all their addresses are public.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use async_trait::async_trait;

use super::{Policy, Refusal, RefusalCode, VettedUrl};

/// The only port that webhooks are sent to.
const HTTPS_PORT: u16 = 443;

/// Resolves host names. A trait, so that tests can act as a hostile name server.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// Returns all addresses of `host`, in the order to try them.
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        // The final dot disables the machine's search domains. In a cluster, `example.com` would
        // otherwise be resolved as `example.com.svc.cluster.local` first.
        let found = tokio::net::lookup_host((format!("{host}."), HTTPS_PORT)).await?;
        Ok(found.map(|address| address.ip()).collect())
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
