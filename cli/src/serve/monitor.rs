//! What the admin port of a server command shows: whether it is ready, and the metrics of the process,
//! of the Temporal SDK in it, and of the whole installation.

use std::time::Duration;

use activities::SystemMetrics;
use anyhow::Context;
use api::http::admin::{Process, Readiness};
use prometheus::{Encoder, TextEncoder};
use tokio_util::sync::CancellationToken;

use super::services::Services;

/// Maximum time to read the metrics of the SDK.
const SDK_TIMEOUT: Duration = Duration::from_secs(2);

/// The admin port's view of a process.
pub struct Monitor {
    services: Services,
    system: SystemMetrics,
    http: reqwest::Client,
    stop: CancellationToken,
}

impl Monitor {
    /// Creates the view of a process that stops when `stop` is cancelled.
    ///
    /// # Errors
    /// Returns an error if the HTTP client cannot be created, or if the process has two monitors.
    pub fn new(services: Services, stop: CancellationToken) -> anyhow::Result<Self> {
        let system =
            SystemMetrics::new(services.db.clone(), services.engine.clone(), &services.metrics.registry)?;
        let http = reqwest::Client::builder().no_proxy().timeout(SDK_TIMEOUT).build()?;
        Ok(Self { services, system, http, stop })
    }

    /// Reads the metrics of the Temporal SDK from its exporter.
    async fn sdk_metrics(&self) -> anyhow::Result<String> {
        let url = format!("http://{}/metrics", self.services.metrics.sdk.address());
        let response = self.http.get(url).send().await.context("the exporter does not respond")?;
        Ok(response.error_for_status()?.text().await?)
    }
}

#[async_trait::async_trait]
impl Process for Monitor {
    async fn readiness(&self) -> Readiness {
        let Services { db, store, engine, .. } = &self.services;
        let database = async { db.ping().await.is_ok() };
        let storage = async { store.head("readiness").await.is_ok() };
        Readiness::check(database, storage, engine.healthy(), self.stop.is_cancelled()).await
    }

    async fn metrics(&self) -> prometheus::Result<Vec<u8>> {
        let ((), sdk) = tokio::join!(self.system.refresh(), self.sdk_metrics());
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.services.metrics.registry.gather(), &mut text)?;
        match sdk {
            // Its names start with `temporal_`, and those of the service with `scan_`.
            Ok(sdk) => text.extend_from_slice(sdk.as_bytes()),
            Err(error) => tracing::warn!(%error, "failed to read the metrics of the Temporal SDK"),
        }
        Ok(text)
    }
}
