//! Opening the socket.

use std::{io, net::SocketAddr, time::Duration};

use async_trait::async_trait;
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};

use super::DialError;
use crate::vetting::VettedTarget;

/// How many of a host's addresses are tried.
const MAX_ADDRESSES: usize = 4;

/// Opens TCP connections. A trait so that a test can see every address that is dialled.
#[async_trait]
pub trait Connector: Send + Sync + 'static {
    /// A connection to exactly this address.
    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream>;
}

/// The operating system's sockets.
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

/// Connects to the first vetted address that answers. Each gets a fair share of the time that is
/// left, so one dead address (an unrouted IPv6, say) does not use it all up.
pub(super) async fn open(
    target: &VettedTarget,
    connector: &dyn Connector,
    total: Duration,
) -> Result<TcpStream, DialError> {
    let end = Instant::now() + total;
    let addresses = &target.addresses()[..target.addresses().len().min(MAX_ADDRESSES)];
    let mut last = None;
    for (tried, address) in addresses.iter().enumerate() {
        let left = (addresses.len() - tried) as u32;
        let deadline = Instant::now() + end.saturating_duration_since(Instant::now()) / left;
        match timeout_at(deadline, connector.connect(*address)).await {
            Ok(Ok(socket)) => return Ok(socket),
            Ok(Err(error)) => last = Some(DialError::Connect(error.kind().to_string())),
            Err(_) => last = Some(DialError::TimedOut),
        }
    }
    Err(last.unwrap_or(DialError::TimedOut))
}
