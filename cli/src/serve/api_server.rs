//! `scan api`: the HTTP API and the admin port.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context;
use api::{App, AppParts, limits::RateLimiter, metrics::Metrics};
use domain::language::LanguageModels;
use prometheus::Registry;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use webhooks::Webhooks;

use super::{parts::Base, ports::bind};
use crate::config::Config;

/// The listeners of the API, bound before anything else starts, so that a busy port is found at once.
pub struct Listeners {
    api: TcpListener,
    admin: TcpListener,
}

impl Listeners {
    /// Where the API listens.
    ///
    /// # Errors
    /// When the socket does not say.
    pub fn api_address(&self) -> std::io::Result<SocketAddr> {
        self.api.local_addr()
    }

    /// Binds both.
    ///
    /// # Errors
    /// When a port is in use; the message names it and its setting.
    pub async fn bind(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            api: bind(config.server.listen, "server.listen").await?,
            admin: bind(config.server.admin_listen, "server.admin_listen").await?,
        })
    }
}

/// Serves until `stop` is cancelled and the requests in flight are answered.
///
/// # Errors
/// When the measurements cannot be set up; what goes wrong with a connection is that connection's.
pub async fn run(
    config: &Config,
    base: &Base,
    listeners: Listeners,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut settings = config.server.clone();
    settings.start_window_seconds = config.scans.start_window_seconds;
    let app = App::new(AppParts {
        db: base.db.clone(),
        objects: base.store.clone(),
        engine: Arc::new(base.engine.clone()),
        signing_secret: config.secrets.signing.clone(),
        banks: base.banks.clone(),
        scratch: base.scratch.clone(),
        limiter: RateLimiter::new(&settings.limits).context("server.limits.redis_url")?,
        webhooks: Webhooks::open(&config.outbound)?,
        language: language(config)?,
        metrics: Metrics::new(Registry::new())?,
        settings,
    });
    tracing::info!(listen = %listeners.api.local_addr()?, admin = %listeners.admin.local_addr()?, "API serves");
    tokio::join!(
        api::server::serve(listeners.api, app.clone(), stop.cancelled()),
        api::admin::serve(listeners.admin, app, stop.cancelled()),
    );
    Ok(())
}

fn language(config: &Config) -> anyhow::Result<LanguageModels> {
    let endpoint = super::endpoint(config)?;
    Ok(LanguageModels {
        embedder: endpoint.as_ref().and_then(|endpoint| endpoint.embedder()),
        writer: endpoint.as_ref().and_then(|endpoint| endpoint.writer()),
    })
}
