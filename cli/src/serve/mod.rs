//! The server commands: they make the parts, wire them, and run them until they are asked to stop.

pub mod api_server;
pub mod parts;
pub mod ports;
pub mod postman;
pub mod temporal;
pub mod up;
pub mod workers;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that is cancelled at the first interrupt or termination signal.
///
/// # Errors
/// When the signals cannot be listened to.
pub fn stop_on_signal() -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping: what runs may finish");
        stopping.cancel();
    });
    Ok(stop)
}
