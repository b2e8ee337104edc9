//! Loaders for rows that nearly every request reads. See [`BatchLoader`].

mod batch_loader;

use domain::{ScanId, mode::Tenant, scan::Scan};
use entities::{Db, Error, KeyRow, api_keys, scans};

use batch_loader::BatchLoader;

/// The row of a scan, and its representation in the API.
type ScanAndView = (scans::Model, Scan);

/// Loaders for rows that nearly every request reads.
pub(crate) struct Loaders {
    /// API keys by the hash of their secret, including inactive ones.
    pub(crate) keys: BatchLoader<String, KeyRow, Error>,
    /// Scans by tenant and id.
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
            scans: BatchLoader::new(move |ids: Vec<(Tenant, ScanId)>| {
                let db = scans.clone();
                async move { scans::find_views(&db, &ids).await }
            }),
        }
    }
}
