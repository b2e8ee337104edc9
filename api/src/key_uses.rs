//! Counts the requests of API keys in memory, and adds them to the database every few seconds: a write
//! a request would cost more than most requests.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{KeyId, Timestamp};
use entities::{
    Db,
    key_uses::{self, Counts},
};
use tokio_util::sync::CancellationToken;

/// Time between two writes. A process that dies loses the counts of this time.
const INTERVAL: Duration = Duration::from_secs(10);

/// Requests that are not written yet. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct KeyUses(Arc<Mutex<Counts>>);

impl KeyUses {
    /// Counts a request.
    pub(crate) fn count(&self, key: &KeyId, now: Timestamp) {
        self.add((key.clone(), now.day()), 1);
    }

    fn add(&self, day: (KeyId, String), requests: i64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(day).or_default() += requests;
    }

    /// Writes the counts until `closing` is cancelled, and then once more.
    pub(crate) async fn write_until(self, db: Db, closing: CancellationToken) {
        loop {
            let is_closing = tokio::time::timeout(INTERVAL, closing.cancelled()).await.is_ok();
            self.write(&db).await;
            if is_closing {
                return;
            }
        }
    }

    /// Adds the counts to the database. If that fails, they are written next time.
    pub(crate) async fn write(&self, db: &Db) {
        let counts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if counts.is_empty() {
            return;
        }
        let now = Timestamp::now();
        let written: entities::Result<()> =
            db.write(async |txn| key_uses::add(&txn, &counts, now).await).await;
        if let Err(error) = written {
            tracing::warn!(%error, "recording the uses of API keys failed; trying again later");
            for (day, requests) in counts {
                self.add(day, requests);
            }
        }
    }
}
