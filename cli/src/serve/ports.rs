//! Binds a port, or reports clearly that it is in use.

use std::{
    io::ErrorKind,
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::net::TcpListener;

/// How long to wait for a port in use. After a service was killed, its child processes hold their
/// ports for a moment.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Binds an address. `setting` is the name of the setting that configures it.
///
/// # Errors
/// Returns an error if the port stays in use. The message names the port and the setting.
pub async fn bind(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    let started = Instant::now();
    loop {
        match TcpListener::bind(address).await {
            Err(e) if e.kind() == ErrorKind::AddrInUse && started.elapsed() < MAX_WAIT => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(e) if e.kind() == ErrorKind::AddrInUse => {
                return Err(e).with_context(|| {
                    format!("{address} is in use; stop the process that listens there, or change {setting}")
                });
            }
            bound => return bound.with_context(|| format!("cannot listen on {address} ({setting})")),
        }
    }
}
