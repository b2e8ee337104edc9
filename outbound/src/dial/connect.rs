//! Opens TCP connections.

use std::{io, net::SocketAddr, time::Duration};

use async_trait::async_trait;
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};

use super::DialError;
use crate::vetting::VettedTarget;

/// Maximum number of a host's addresses that are tried.
const MAX_ADDRESSES: usize = 4;

/// Opens TCP connections. A trait, so that tests can record the dialled addresses.
#[async_trait]
pub trait Connector: Send + Sync + 'static {
    /// Connects to exactly this address.
    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream>;
}

/// Connects with the operating system's sockets.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpConnector;

#[async_trait]
impl Connector for TcpConnector {
    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        Ok(socket)
    }
}

/// Connects to the first vetted address that accepts. Divides the remaining time evenly among the
/// remaining addresses, so that one dead address (for example unrouted IPv6) doesn't use it up.
pub(super) async fn open(
    target: &VettedTarget,
    connector: &dyn Connector,
    total: Duration,
) -> Result<TcpStream, DialError> {
    let end = Instant::now() + total;
    let addresses = &target.addresses()[..target.addresses().len().min(MAX_ADDRESSES)];
    let mut last = None;
    for (tried, address) in addresses.iter().enumerate() {
        let remaining = (addresses.len() - tried) as u32;
        let deadline = Instant::now() + end.saturating_duration_since(Instant::now()) / remaining;
        match timeout_at(deadline, connector.connect(*address)).await {
            Ok(Ok(socket)) => return Ok(socket),
            Ok(Err(error)) => last = Some(DialError::Connect(error.kind().to_string())),
            Err(_) => last = Some(DialError::TimedOut),
        }
    }
    Err(last.unwrap_or(DialError::TimedOut))
}
