//! Vetting by address: every address a host stands for must be public.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use async_trait::async_trait;

use super::{Policy, Refusal, RefusalCode, VettedUrl};

/// The one port that webhooks are sent to.
const HTTPS_PORT: u16 = 443;

/// Turns a host name into addresses. A trait because a test must be able to lie as a hostile
/// name server does.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// Every address of `host`, in the order to try them.
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        // The final dot keeps the machine's search domains out: in a cluster, `example.com` would
        // otherwise be tried as `example.com.svc.cluster.local` first.
        let found = tokio::net::lookup_host((format!("{host}."), HTTPS_PORT)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Where one request may connect to. Good for one connection: it is neither cloned nor kept, so a
/// name that changes its address is looked at again before the next request.
#[derive(Debug, PartialEq, Eq)]
pub struct VettedTarget {
    url: VettedUrl,
    addresses: Vec<SocketAddr>,
    mapped: bool,
}

impl VettedTarget {
    /// The URL that was vetted.
    pub fn url(&self) -> &VettedUrl {
        &self.url
    }

    /// The addresses that may be dialled, in this order. Never empty.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Whether the address comes from the dial map of a test or demo instead of the DNS.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped
    }
}

/// Looks the host up once and vets every address: one that is not public refuses them all, since
/// a name that mixes both is either broken or an attack.
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

/// A target at an address that the operator's dial map names; the map only holds loopback.
pub(crate) fn mapped(url: VettedUrl, address: SocketAddr) -> VettedTarget {
    VettedTarget { url, addresses: vec![address], mapped: true }
}
