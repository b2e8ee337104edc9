//! The backends of an [`Operation`](crate::Operation): a database, the simulated bank and object
//! storage.

use std::{path::Path, sync::Arc};

use domain::Secret;
use entities::Db;
use media::{ObjectStore, embedded, objects, scratch::ScratchRoot};
use outbound::payments::{PaymentProviders, PaymentSettings, ProviderKind, SimulatedSettings};
use tokio::net::TcpListener;

/// A database, the simulated bank and object storage. All three outlive the process: the bank and
/// the storage keep their state in files.
#[derive(Clone)]
pub struct TestBackend {
    /// The database.
    pub db: Db,
    /// The simulated bank, for both modes.
    pub banks: PaymentProviders,
    /// Object storage.
    pub store: ObjectStore,
    pub(crate) scratch: Arc<ScratchRoot>,
    endpoint: String,
    /// The storage server, which runs until the last clone is dropped.
    _storage: Option<Arc<embedded::Server>>,
}

impl TestBackend {
    /// Opens the backends and serves the storage from this process. The bank and the storage keep
    /// their state in `folder`.
    ///
    /// # Errors
    /// Returns an error if one of the backends cannot be opened.
    pub async fn create(database: &str, folder: &Path) -> anyhow::Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let storage = embedded::serve(&folder.join("objects"), listener, credentials())?;
        let mut backend = Self::open(database, folder, &storage.endpoint()).await?;
        backend.store.ensure_bucket().await?;
        backend._storage = Some(Arc::new(storage));
        Ok(backend)
    }

    /// Opens the backends, with the storage that another process serves at `storage`.
    ///
    /// # Errors
    /// Returns an error if one of the backends cannot be opened.
    pub async fn open(database: &str, folder: &Path, storage: &str) -> anyhow::Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = entities::Settings { url: Secret::new(database), ..entities::Settings::default() };
        let simulated =
            SimulatedSettings { folder: Some(folder.join("bank")), ..SimulatedSettings::default() };
        let payments =
            PaymentSettings { provider: ProviderKind::Simulated, simulated, ..PaymentSettings::default() };
        let embedded::Credentials { access_key_id, secret_access_key } = credentials();
        let objects = objects::Settings {
            endpoint: storage.to_owned(),
            access_key_id,
            secret_access_key,
            ..objects::Settings::default()
        };
        let scratch = folder.join(format!("scratch-{}", std::process::id()));
        Ok(Self {
            db: Db::connect(&settings).await?,
            banks: PaymentProviders::open(&payments)?,
            store: ObjectStore::new(&objects)?,
            scratch: Arc::new(ScratchRoot::open(&scratch)?),
            endpoint: storage.to_owned(),
            _storage: None,
        })
    }

    /// Returns the address of the storage.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

fn credentials() -> embedded::Credentials {
    embedded::Credentials { access_key_id: "test".into(), secret_access_key: Secret::new("secret") }
}
