//! The state that every request shares.

use std::sync::{Arc, OnceLock};

use domain::{Secret, language::LanguageModels};
use entities::Db;
use media::{ObjectStore, scratch::ScratchRoot};
use outbound::payments::Banks;
use tokio_util::sync::CancellationToken;
use webhooks::Webhooks;

use crate::{
    console::passwords::Passwords, endpoints::Endpoint, engine::ScanEngine, limits::RateLimiter,
    lookups::Lookups, metrics::Metrics, page::Cursors, reference::Reference, settings::Settings,
};

/// What an [`App`] is made of.
pub struct AppParts {
    /// The database.
    pub db: Db,
    /// Object storage.
    pub objects: ObjectStore,
    /// The engine that runs scans.
    pub engine: Arc<dyn ScanEngine>,
    /// Signs evidence URLs and cursors; all processes of one service share it.
    pub signing_secret: Secret,
    /// How accounts pay, and who tells of payments.
    pub banks: Banks,
    /// Folders for uploads that storage cannot take as they come.
    pub scratch: ScratchRoot,
    /// Counts requests.
    pub limiter: RateLimiter,
    /// Webhook endpoints.
    pub webhooks: Webhooks,
    /// Models for texts, where there are any.
    pub language: LanguageModels,
    /// Where measurements go.
    pub metrics: Metrics,
    /// Configuration.
    pub settings: Settings,
}

/// The state that every request shares. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    parts: AppParts,
    endpoints: Arc<[Endpoint]>,
    lookups: Lookups,
    cursors: Cursors,
    passwords: Passwords,
    openapi: String,
    reference: OnceLock<Reference>,
    closing: CancellationToken,
}

impl App {
    /// Makes the state.
    pub fn new(parts: AppParts) -> Self {
        let endpoints: Arc<[Endpoint]> = crate::routes::endpoints().into();
        Self(Arc::new(Inner {
            lookups: Lookups::new(&parts.db),
            cursors: Cursors::new(&parts.signing_secret),
            passwords: Passwords::new(parts.settings.console.max_password_hashes),
            openapi: crate::openapi::text(&endpoints, Some(&parts.settings.public_url)),
            reference: OnceLock::new(),
            endpoints,
            closing: CancellationToken::new(),
            parts,
        }))
    }

    /// Every endpoint.
    pub fn endpoints(&self) -> Arc<[Endpoint]> {
        self.0.endpoints.clone()
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.0.parts.db
    }

    /// What nearly every request reads.
    pub(crate) fn lookups(&self) -> &Lookups {
        &self.0.lookups
    }

    /// Object storage.
    pub fn objects(&self) -> &ObjectStore {
        &self.0.parts.objects
    }

    /// The engine that runs scans.
    pub fn engine(&self) -> &dyn ScanEngine {
        self.0.parts.engine.as_ref()
    }

    /// How accounts pay, and who tells of payments.
    pub fn banks(&self) -> &Banks {
        &self.0.parts.banks
    }

    /// Configuration.
    pub fn settings(&self) -> &Settings {
        &self.0.parts.settings
    }

    /// Webhook endpoints.
    pub fn webhooks(&self) -> &Webhooks {
        &self.0.parts.webhooks
    }

    /// Models for texts, where there are any.
    pub fn language(&self) -> &LanguageModels {
        &self.0.parts.language
    }

    /// Measurements.
    pub fn metrics(&self) -> &Metrics {
        &self.0.parts.metrics
    }

    /// Makes and reads cursors of lists.
    pub fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    /// Hashes and checks passwords.
    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    /// Signs addresses of evidence.
    pub fn signing_secret(&self) -> &Secret {
        &self.0.parts.signing_secret
    }

    /// For uploads that storage cannot take as they come.
    pub fn scratch(&self) -> &ScratchRoot {
        &self.0.parts.scratch
    }

    /// `openapi.json`.
    pub fn openapi(&self) -> &str {
        &self.0.openapi
    }

    /// The pages of `/docs`, made when first asked for.
    pub(crate) fn reference(&self) -> &Reference {
        self.0.reference.get_or_init(|| {
            let document = serde_json::from_str(self.openapi()).unwrap_or_default();
            Reference::new(&self.0.endpoints, &document, &self.url(""))
        })
    }

    /// Cancelled when the server shuts down; streams end then.
    pub fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }

    /// An address below `/v1`, as callers reach it.
    pub fn url(&self, path: &str) -> String {
        format!("{}{}{path}", self.settings().public_url, crate::path::BASE)
    }

    /// Counts requests.
    pub fn limiter(&self) -> &RateLimiter {
        &self.0.parts.limiter
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
