//! A resolver with scripted results, and a connector that records the dialled addresses.

use std::{
    future::pending,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use outbound::{
    dial::{Connector, DialSettings, Dialer},
    vetting::Resolver,
};
use tokio::net::TcpStream;

/// Returns one address for the first look-up and another one for all later look-ups.
pub struct RebindingResolver {
    pub first: Vec<IpAddr>,
    pub later: Vec<IpAddr>,
    pub lookups: AtomicUsize,
}

#[async_trait]
impl Resolver for RebindingResolver {
    async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let first = self.lookups.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(if first { self.first.clone() } else { self.later.clone() })
    }
}

/// Records the dialled addresses and connects all of them to one server. Connections to an address
/// in `unresponsive` hang instead.
pub struct RecordingConnector {
    pub server: SocketAddr,
    pub unresponsive: Vec<IpAddr>,
    pub dialled: Mutex<Vec<SocketAddr>>,
}

#[async_trait]
impl Connector for RecordingConnector {
    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        self.dialled.lock().unwrap().push(address);
        if self.unresponsive.contains(&address.ip()) {
            pending::<()>().await;
        }
        TcpStream::connect(self.server).await
    }
}

pub const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
pub const OTHER_PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 35));
pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Builds a dialler whose hosts resolve to `first` once and to `later` afterwards, and whose
/// connections all lead to `server`.
pub fn recording_dialer(
    settings: &DialSettings,
    server: SocketAddr,
    first: Vec<IpAddr>,
    later: Vec<IpAddr>,
    unresponsive: Vec<IpAddr>,
) -> (Dialer, Arc<RebindingResolver>, Arc<RecordingConnector>) {
    let resolver = Arc::new(RebindingResolver { first, later, lookups: AtomicUsize::new(0) });
    let connector = Arc::new(RecordingConnector { server, unresponsive, dialled: Mutex::default() });
    let dialer = Dialer::new(settings).unwrap();
    let dialer = dialer.with_resolver(resolver.clone()).with_connector(connector.clone());
    (dialer, resolver, connector)
}
