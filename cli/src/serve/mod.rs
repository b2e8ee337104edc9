//! The server commands. They connect to the services, start API and workers, and run until SIGINT
//! or SIGTERM.

pub mod api_server;
pub mod bank_webhooks;
pub mod monitor;
pub mod ports;
mod prerequisites;
pub mod schema;
pub mod services;
mod startup;
pub mod temporal;
pub mod up;
pub mod workers;

use std::sync::Arc;

use anyhow::Context;
use domain::language::Embedder;
use perception::models::endpoint::Endpoint;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// Returns the configured endpoint for remote models, if any.
///
/// # Errors
/// Returns an error if its settings are invalid.
pub fn model_endpoint(config: &Config) -> anyhow::Result<Option<Endpoint>> {
    let settings = config.perception.models.endpoint.as_ref();
    let endpoint = settings.map(Endpoint::new).transpose().map_err(anyhow::Error::msg);
    endpoint.context("perception.models.endpoint")
}

/// Returns the model for sentence embeddings: that of the endpoint, or else the packaged one.
pub fn embedder(config: &Config, endpoint: Option<&Endpoint>) -> Option<Arc<dyn Embedder>> {
    let remote = endpoint.and_then(Endpoint::embedder);
    remote.or_else(|| perception::models::packaged::embedder(&config.perception.models))
}

/// Returns a token that is cancelled at the first SIGINT or SIGTERM.
///
/// # Errors
/// Returns an error if the signal handlers cannot be installed.
pub fn stop_on_signal() -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping; running work may finish");
        stopping.cancel();
    });
    Ok(stop)
}
