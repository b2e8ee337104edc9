//! The parts that API and workers share, made from configuration.

use std::{path::Path, sync::Arc, time::Duration};

use activities::Parts;
use anyhow::Context;
use entities::Db;
use media::{ObjectStore, scratch::ScratchRoot};
use outbound::{dial::Dialer, mail::Mailer, payments::Banks, seal::Sealer};
use perception::models::Models;
use tokio_util::sync::CancellationToken;
use workflows::client::{Engine, EngineError};

use crate::config::Config;

/// Database, storage, engine and banks: what every server command needs.
#[derive(Clone)]
pub struct Base {
    /// The database, migrated.
    pub db: Db,
    /// Object storage, its bucket there.
    pub store: ObjectStore,
    /// The engine, connected when it is first needed.
    pub engine: Engine,
    /// Where money comes from.
    pub banks: Banks,
    /// Working folders of this process.
    pub scratch: ScratchRoot,
}

impl Base {
    /// Connects to what the configuration names.
    ///
    /// # Errors
    /// When database or storage cannot be reached, a folder cannot be made, or the bank is not set up right.
    pub async fn make(config: &Config, role: &str) -> anyhow::Result<Self> {
        let db = Db::connect(&config.database).await.context("the database cannot be reached")?;
        let store = ObjectStore::new(&config.storage)?;
        store.ensure_bucket().await.context("object storage cannot be used")?;
        let root = config.scratch_folder();
        let scratch = open_scratch(&root)?;
        let identity = format!("scan-{role}@{}", std::process::id());
        let mut payments = config.outbound.payments.clone();
        payments.console_url.get_or_insert_with(|| console_url(config));
        let banks = Banks::open(&payments)?;
        Ok(Self { db, store, engine: Engine::new(config.engine.clone(), identity), banks, scratch })
    }

    /// What activities work with; loads the models.
    ///
    /// # Errors
    /// When the settings of webhooks or sealing cannot be used.
    pub async fn activity_parts(&self, config: &Config) -> anyhow::Result<Parts> {
        let settings = config.perception.models.clone();
        let models = tokio::task::spawn_blocking(move || Models::load(&settings)).await?;
        for warning in &models.absent {
            tracing::warn!(code = warning.code, "{}", warning.message);
        }
        Ok(Parts {
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
            perception: config.perception.clone(),
            retries: config.retries,
        })
    }

    /// Waits until the engine answers.
    ///
    /// # Errors
    /// When the engine refuses for good, or `stop` comes first.
    pub async fn await_engine(&self, stop: &CancellationToken) -> anyhow::Result<temporalio_client::Client> {
        let mut told = false;
        loop {
            match self.engine.client().await {
                Ok(client) => return Ok(client.clone()),
                Err(EngineError::Internal(reason)) => anyhow::bail!("the engine cannot be used: {reason}"),
                Err(error) if !told => {
                    tracing::info!(%error, "waiting for the engine");
                    told = true;
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
    ScratchRoot::open(root).with_context(|| format!("the working folder {} cannot be used", root.display()))
}

/// Where the console's pages are.
fn console_url(config: &Config) -> String {
    format!("{}/console", config.server.public_url)
}
