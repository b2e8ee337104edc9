//! What nearly every request reads, by key: see [`BatchLoader`].

mod batch_loader;

use domain::{ScanId, mode::Tenant, scan::Scan};
use entities::{Db, Error, KeyRow, api_keys, scans};

use batch_loader::BatchLoader;

/// A scan as it is stored, and as callers see it.
type ScanAndView = (scans::Model, Scan);

/// What nearly every request reads.
pub(crate) struct Loaders {
    /// API keys by the hash of their secret, also those that are not active.
    pub(crate) keys: BatchLoader<String, KeyRow, Error>,
    /// Scans of a tenant.
    pub(crate) scans: BatchLoader<(Tenant, ScanId), ScanAndView, Error>,
}

impl Loaders {
    pub(crate) fn new(db: &Db) -> Self {
        let (keys, scans) = (db.clone(), db.clone());
        Self {
            keys: BatchLoader::new(move |hashes: Vec<String>| {
                let db = keys.clone();
                async move { api_keys::of_secret_hashes(&db, &hashes).await }
            }),
            scans: BatchLoader::new(move |wanted: Vec<(Tenant, ScanId)>| {
                let db = scans.clone();
                async move { scans::find_views(&db, &wanted).await }
            }),
        }
    }
}
