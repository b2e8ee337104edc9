//! The state that every request shares.

use std::{
    future::Future,
    sync::{Arc, OnceLock},
};

use domain::{RotatingSecret, language::LanguageModels};
use entities::Db;
use media::{ObjectStore, objects, scratch::ScratchRoot};
use outbound::payments::PaymentProviders;
use search::SentenceVectors;
use tokio_util::sync::CancellationToken;
use webhooks::Webhooks;

use crate::{
    blocking::BlockingPool,
    console::passwords::Passwords,
    contract::{
        document_schema,
        endpoint::Endpoint,
        reference::Reference,
        site::{DOCUMENT_SCHEMA, Site},
    },
    engine::{ScanEngine, WatchedEngine},
    http::page::Cursors,
    key_uses::KeyUses,
    limits::RateLimiter,
    loaders::Loaders,
    metrics::Metrics,
    routes::events::hub::EventHub,
    settings::Settings,
    watch::{NoResponse, Watch},
};

/// Dependencies of an [`App`].
pub struct AppDependencies {
    /// The database.
    pub db: Db,
    /// Object storage.
    pub objects: ObjectStore,
    /// Starts and cancels the workflows of scans and payments.
    pub engine: Arc<dyn ScanEngine>,
    /// Signs evidence URLs and cursors. Every process of a service must have the same secrets.
    pub signing_secrets: RotatingSecret,
    /// Payment providers, one per mode.
    pub banks: PaymentProviders,
    /// Temporary files for uploads without a declared length.
    pub scratch: ScratchRoot,
    /// Counts requests for the rate limits.
    pub limiter: RateLimiter,
    /// Manages webhook endpoints.
    pub webhooks: Webhooks,
    /// Configured language models, if any.
    pub language: LanguageModels,
    /// Prometheus metrics.
    pub metrics: Metrics,
    /// Configuration.
    pub settings: Settings,
}

/// The state that every request shares. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    dependencies: AppDependencies,
    endpoints: Arc<[Endpoint]>,
    loaders: Loaders,
    cursors: Cursors,
    passwords: Passwords,
    document_pool: BlockingPool,
    model_pool: BlockingPool,
    openapi: String,
    reference: OnceLock<Reference>,
    site: OnceLock<Site>,
    document_schema: OnceLock<String>,
    closing: CancellationToken,
    database_watch: Watch,
    storage_watch: Watch,
    engine: WatchedEngine,
    event_hub: EventHub,
    key_uses: KeyUses,
    sentences: Option<SentenceVectors>,
}

impl App {
    /// Creates the state from its dependencies.
    pub fn new(dependencies: AppDependencies) -> Self {
        let endpoints: Arc<[Endpoint]> = crate::routes::endpoints().into();
        Self(Arc::new(Inner {
            loaders: Loaders::new(&dependencies.db),
            cursors: Cursors::new(&dependencies.signing_secrets),
            passwords: Passwords::new(
                dependencies.settings.console.max_password_hashes,
                dependencies.settings.blocking_queue,
            ),
            document_pool: BlockingPool::new(
                dependencies.settings.document_threads,
                dependencies.settings.blocking_queue,
            ),
            model_pool: BlockingPool::new(
                dependencies.settings.model_threads,
                dependencies.settings.blocking_queue,
            ),
            openapi: crate::contract::openapi::text(&endpoints, Some(&dependencies.settings.public_url)),
            reference: OnceLock::new(),
            site: OnceLock::new(),
            document_schema: OnceLock::new(),
            endpoints,
            closing: CancellationToken::new(),
            database_watch: Watch::default(),
            storage_watch: Watch::default(),
            engine: WatchedEngine::new(dependencies.engine.clone()),
            event_hub: EventHub::new(dependencies.db.clone(), dependencies.settings.stream_limits()),
            key_uses: KeyUses::default(),
            sentences: dependencies.language.sentences.clone().map(SentenceVectors::new),
            dependencies,
        }))
    }

    /// Returns every endpoint.
    pub fn endpoints(&self) -> Arc<[Endpoint]> {
        self.0.endpoints.clone()
    }

    /// Returns the database.
    pub fn db(&self) -> &Db {
        &self.0.dependencies.db
    }

    /// Returns the loaders that batch frequent reads.
    pub(crate) fn loaders(&self) -> &Loaders {
        &self.0.loaders
    }

    /// Returns object storage.
    pub fn objects(&self) -> &ObjectStore {
        &self.0.dependencies.objects
    }

    /// Returns the engine that runs scans. Its calls end soon after it stopped responding.
    pub fn engine(&self) -> &dyn ScanEngine {
        &self.0.engine
    }

    /// Returns the payment providers.
    pub fn banks(&self) -> &PaymentProviders {
        &self.0.dependencies.banks
    }

    /// Returns the configuration.
    pub fn settings(&self) -> &Settings {
        &self.0.dependencies.settings
    }

    /// Returns the manager of webhook endpoints.
    pub fn webhooks(&self) -> &Webhooks {
        &self.0.dependencies.webhooks
    }

    /// Returns the configured language models.
    pub fn language(&self) -> &LanguageModels {
        &self.0.dependencies.language
    }

    /// Returns the sentence vectors with which answers are read; `None` without their model.
    pub(crate) fn sentences(&self) -> Option<&SentenceVectors> {
        self.0.sentences.as_ref()
    }

    /// Returns the metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.0.dependencies.metrics
    }

    /// Returns the cursors of lists.
    pub fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    /// Returns the password hasher.
    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    /// Returns the threads that read Space Documents and work on them.
    pub(crate) fn document_pool(&self) -> &BlockingPool {
        &self.0.document_pool
    }

    /// Returns the threads that call language models.
    pub(crate) fn model_pool(&self) -> &BlockingPool {
        &self.0.model_pool
    }

    /// Returns the secrets that sign evidence URLs.
    pub fn signing_secrets(&self) -> &RotatingSecret {
        &self.0.dependencies.signing_secrets
    }

    /// Returns the root of temporary upload folders.
    pub fn scratch(&self) -> &ScratchRoot {
        &self.0.dependencies.scratch
    }

    /// Returns `openapi.json` as text.
    pub fn openapi(&self) -> &str {
        &self.0.openapi
    }

    /// Returns the pages of `/docs`; renders them on first use.
    pub(crate) fn reference(&self) -> &Reference {
        self.0.reference.get_or_init(|| {
            let document = serde_json::from_str(self.openapi()).unwrap_or_default();
            Reference::new(&self.0.endpoints, &document, &self.url(""))
        })
    }

    /// Returns the documentation; renders it on first use.
    pub(crate) fn site(&self) -> &Site {
        self.0.site.get_or_init(Site::new)
    }

    /// Returns the JSON Schema of the Space Document.
    pub(crate) fn document_schema(&self) -> &str {
        self.0.document_schema.get_or_init(|| {
            let openapi = serde_json::from_str(self.openapi()).unwrap_or_default();
            document_schema::text(&openapi, &format!("{}{DOCUMENT_SCHEMA}", self.settings().public_url))
        })
    }

    /// Returns the token that is cancelled at shutdown. Event streams end then.
    pub fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }

    /// Returns the public URL of a path below `/v1`.
    pub fn url(&self, path: &str) -> String {
        format!("{}{}{path}", self.settings().public_url, crate::http::path::BASE)
    }

    /// Returns the counter of requests of API keys.
    pub(crate) fn key_uses(&self) -> &KeyUses {
        &self.0.key_uses
    }

    /// Writes the requests of API keys that are counted and not written yet.
    pub async fn write_key_uses(&self) {
        self.0.key_uses.write(self.db()).await;
    }

    /// Returns the event streams of this process.
    pub(crate) fn event_hub(&self) -> &EventHub {
        &self.0.event_hub
    }

    /// Returns the rate limiter.
    pub fn limiter(&self) -> &RateLimiter {
        &self.0.dependencies.limiter
    }

    /// Runs work that may wait for the database.
    ///
    /// # Errors
    /// Returns an error soon after the database stopped responding.
    pub(crate) async fn with_database<T>(&self, work: impl Future<Output = T>) -> Result<T, NoResponse> {
        self.0.database_watch.guard(|| self.db().responds(), work).await
    }

    /// Runs a call to storage.
    ///
    /// # Errors
    /// Returns the error of the call, and [`objects::Error::Unavailable`] soon after storage stopped
    /// responding.
    pub(crate) async fn with_storage<T>(
        &self,
        call: impl Future<Output = Result<T, objects::Error>>,
    ) -> Result<T, objects::Error> {
        let guarded = self.0.storage_watch.guard(|| self.storage_responds(), call).await;
        guarded.unwrap_or_else(|silent| Err(objects::Error::Unavailable { reason: silent.to_string() }))
    }

    /// Returns whether storage responds, with an object or with a refusal.
    async fn storage_responds(&self) -> bool {
        !matches!(self.objects().head("readiness").await, Err(objects::Error::Unavailable { .. }))
    }

    pub(crate) async fn database_ready(&self) -> bool {
        self.db().ping().await.is_ok()
    }

    pub(crate) async fn storage_ready(&self) -> bool {
        self.objects().head("readiness").await.is_ok()
    }

    pub(crate) async fn engine_ready(&self) -> bool {
        self.engine().healthy().await
    }
}
