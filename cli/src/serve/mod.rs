//! The server commands: they make the parts, wire them, and run them until they are asked to stop.

pub mod api_server;
pub mod parts;
pub mod ports;
pub mod postman;
pub mod temporal;
pub mod up;
pub mod workers;

use anyhow::Context;
use perception::models::endpoint::Endpoint;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// The endpoint that is configured, for models that need no weights; none by default.
///
/// # Errors
/// When its settings cannot be used.
pub fn endpoint(config: &Config) -> anyhow::Result<Option<Endpoint>> {
    let settings = config.perception.models.endpoint.as_ref();
    let made = settings.map(Endpoint::new).transpose().map_err(anyhow::Error::msg);
    made.context("perception.models.endpoint")
}

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
