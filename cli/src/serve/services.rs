//! Connects to the services that API and workers share.

use std::{path::Path, sync::Arc, time::Duration};

use activities::Dependencies;
use anyhow::Context;
use entities::Db;
use media::{ObjectStore, scratch::ScratchRoot};
use outbound::{
    dial::Dialer,
    mail::Mailer,
    payments::{PaymentProviders, ProviderKind},
    seal::Sealer,
};
use perception::models::Models;
use prometheus::Registry;
use tokio_util::sync::CancellationToken;
use workflows::client::{Engine, EngineError, SdkTelemetry};

use super::startup;
use crate::config::Config;

/// Connections that every server command needs: database, storage, engine and banks.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub db: Db,
    /// Object storage. The bucket exists.
    pub store: ObjectStore,
    /// The engine. It connects when it is first used.
    pub engine: Engine,
    /// The payment providers of live and test mode.
    pub banks: PaymentProviders,
    /// Temporary folders of this process.
    pub scratch: ScratchRoot,
    /// Metrics of this process.
    pub metrics: ProcessMetrics,
}

/// Metrics of one process: its own in a registry, and those of the Temporal SDK.
#[derive(Debug, Clone)]
pub struct ProcessMetrics {
    /// The metrics of the service.
    pub registry: Registry,
    /// Counters of activities and background tasks, which are in the registry.
    pub activities: activities::Metrics,
    /// Metrics and traces of the Temporal SDK.
    pub sdk: SdkTelemetry,
}

impl ProcessMetrics {
    /// Registers the counters, and starts the exporter of the SDK. With `traces`, the SDK propagates
    /// traces.
    fn start(traces: bool) -> anyhow::Result<Self> {
        let registry = Registry::new();
        let activities = activities::Metrics::new(&registry)?;
        let sdk = SdkTelemetry::start(traces).context("cannot start the metrics of the Temporal SDK")?;
        Ok(Self { registry, activities, sdk })
    }
}

/// Treatment of pending migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Apply them.
    Migrate,
    /// Refuse to start: in a fleet, `scan migrate` applies them once, before the new release starts.
    Refuse,
}

impl Services {
    /// Connects to the configured services, and waits for those that are away. `role` is part of the
    /// identity that the engine shows.
    ///
    /// # Errors
    /// Returns an error if the database or storage refuses the connection, this program cannot use the
    /// schema, a folder cannot be created, or the settings of the bank are invalid.
    pub async fn connect(config: &Config, role: &str, schema: Schema) -> anyhow::Result<Self> {
        let db = startup::connect_database(&config.database).await?;
        startup::prepare_schema(&db, schema).await?;
        let store = ObjectStore::new(&config.storage)?;
        startup::ensure_bucket(&store).await?;
        let root = config.scratch_folder();
        let scratch = open_scratch(&root)?;
        let identity = format!("scan-{role}@{}", std::process::id());
        let mut payments = config.outbound.payments.clone();
        payments.console_url.get_or_insert_with(|| console_url(config));
        let banks = PaymentProviders::open(&payments)?;
        match payments.provider {
            ProviderKind::None => {
                tracing::warn!("live mode takes no payments: outbound.payments.provider is not set");
            }
            ProviderKind::Simulated => tracing::warn!("live mode uses the simulated bank: no money moves"),
            ProviderKind::Stripe => {}
        }
        let metrics = ProcessMetrics::start(config.traces.endpoint.is_some())?;
        let telemetry = Some(metrics.sdk.clone());
        let console = Some(console_url(config));
        let engine = Engine::of_service(config.engine.clone(), identity, telemetry, console);
        Ok(Self { db, store, engine, banks, scratch, metrics })
    }

    /// Loads the models and returns the dependencies of activities and background tasks.
    ///
    /// # Errors
    /// Returns an error if the settings of webhooks, encryption or mail are invalid.
    pub async fn dependencies(&self, config: &Config) -> anyhow::Result<Dependencies> {
        let settings = config.perception.models.clone();
        let models = tokio::task::spawn_blocking(move || Models::load(&settings)).await?;
        for warning in &models.absent {
            tracing::warn!(code = warning.code, "{}", warning.message);
        }
        Ok(Dependencies {
            db: self.db.clone(),
            store: self.store.clone(),
            engine: self.engine.clone(),
            models,
            dialer: Dialer::new(&config.outbound.webhooks)?,
            sealer: Arc::new(Sealer::new(&config.outbound.seal)?),
            banks: self.banks.clone(),
            mailer: Mailer::new(&config.outbound.mail)?,
            console_url: console_url(config),
            scratch: Arc::new(self.scratch.clone()),
            scans: config.scans.clone(),
            retention: config.retention,
            perception: config.perception.clone(),
            retries: config.retries,
            reconciler: config.reconciler,
            metrics: self.metrics.activities.clone(),
        })
    }

    /// Waits until the engine can be reached, and returns its client.
    ///
    /// # Errors
    /// Returns an error if the engine rejects the connection, or `stop` is cancelled before.
    pub async fn await_engine(&self, stop: &CancellationToken) -> anyhow::Result<temporalio_client::Client> {
        let mut logged = false;
        loop {
            match self.engine.client().await {
                Ok(client) => return Ok(client.clone()),
                Err(EngineError::Internal(reason)) => anyhow::bail!("cannot use the engine: {reason}"),
                Err(error) if !logged => {
                    tracing::info!(%error, "waiting for the engine");
                    logged = true;
                }
                Err(_) => {}
            }
            tokio::select! {
                () = stop.cancelled() => anyhow::bail!("stopped while waiting for the engine"),
                () = tokio::time::sleep(Duration::from_millis(250)) => {}
            }
        }
    }
}

fn open_scratch(root: &Path) -> anyhow::Result<ScratchRoot> {
    ScratchRoot::open(root).with_context(|| format!("cannot use the temporary folder {}", root.display()))
}

/// Returns the URL of the console.
fn console_url(config: &Config) -> String {
    format!("{}/console", config.server.public_url)
}
