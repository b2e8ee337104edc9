//! Listening on a port, or saying clearly that it is taken.

use std::{
    io::ErrorKind,
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::net::TcpListener;

/// How long a port may stay taken. Whoever starts a service again right after it was killed finds the
/// ports of its dying children taken for a moment.
const PATIENCE: Duration = Duration::from_secs(5);

/// Binds an address; `setting` is what to change when something else has it.
///
/// # Errors
/// When it stays in use; the message names it and the setting.
pub async fn bind(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    let asked = Instant::now();
    loop {
        match TcpListener::bind(address).await {
            Err(e) if e.kind() == ErrorKind::AddrInUse && asked.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(e) if e.kind() == ErrorKind::AddrInUse => {
                return Err(e).with_context(|| {
                    format!("{address} is in use; stop what listens there or change {setting}")
                });
            }
            bound => return bound.with_context(|| format!("cannot listen on {address} ({setting})")),
        }
    }
}
