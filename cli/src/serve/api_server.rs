//! `scan api`: serves the HTTP API and the admin port.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context;
use api::{App, AppDependencies, http::tls::Tls, limits::RateLimiter, metrics::Metrics};
use domain::language::LanguageModels;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use webhooks::Webhooks;

use super::{monitor::Monitor, ports::bind, services::Services};
use crate::config::Config;

/// The listeners of the API. They are bound before anything else starts, so that a port in use is
/// reported at once.
pub struct Listeners {
    api: TcpListener,
    admin: TcpListener,
}

impl Listeners {
    /// Returns the address of the API's listener.
    ///
    /// # Errors
    /// Returns an error if the address cannot be read from the socket.
    pub fn api_address(&self) -> std::io::Result<SocketAddr> {
        self.api.local_addr()
    }

    /// Binds both ports.
    ///
    /// # Errors
    /// Returns an error if a port is in use. The message names the port and its setting.
    pub async fn bind(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            api: bind(config.server.listen, "server.listen").await?,
            admin: bind(config.server.admin_listen, "server.admin_listen").await?,
        })
    }
}

/// Serves until `stop` is cancelled and the requests in flight have completed.
///
/// # Errors
/// Returns an error if the certificate, the rate limiter, the webhooks, the language models or the metrics cannot be
/// set up.
pub async fn run(
    config: &Config,
    services: &Services,
    listeners: Listeners,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let tls = match &config.server.tls {
        Some(settings) => Some(Tls::load(settings).await.context("server.tls")?),
        None => None,
    };
    let mut settings = config.server.clone();
    settings.start_window_seconds = config.scans.start_window_seconds;
    let app = App::new(AppDependencies {
        db: services.db.clone(),
        objects: services.store.clone(),
        engine: Arc::new(services.engine.clone()),
        signing_secrets: config.secrets.signing(),
        banks: services.banks.clone(),
        scratch: services.scratch.clone(),
        limiter: RateLimiter::new(&settings.limits).context("server.limits.redis_url")?,
        webhooks: Webhooks::open(&config.outbound)?,
        language: language_models(config)?,
        metrics: Metrics::new(services.metrics.registry.clone())?,
        settings,
    });
    let monitor = Arc::new(Monitor::new(services.clone(), stop.clone())?);
    tracing::info!(listen = %listeners.api.local_addr()?, admin = %listeners.admin.local_addr()?, "API started");
    tokio::join!(
        api::http::server::serve_tls(listeners.api, tls, app, stop.cancelled()),
        api::http::admin::serve(listeners.admin, monitor, stop.cancelled()),
    );
    Ok(())
}

fn language_models(config: &Config) -> anyhow::Result<LanguageModels> {
    let endpoint = super::model_endpoint(config)?;
    let packaged = perception::models::packaged::embedder(&config.perception.models);
    let remote = endpoint.as_ref().and_then(|endpoint| endpoint.embedder());
    Ok(LanguageModels {
        embedder: remote.or_else(|| packaged.clone()),
        sentences: packaged,
        writer: endpoint.as_ref().and_then(|endpoint| endpoint.writer()),
        translator: endpoint.as_ref().and_then(|endpoint| endpoint.translator()),
    })
}
