//! Deletes everything whose retention has ended.

use domain::Timestamp;
use entities::Db;

use super::retention::{POLICIES, Settings};

/// The periodic task that applies the retention policies.
pub struct Sweeper {
    db: Db,
    settings: Settings,
}

impl Sweeper {
    /// Creates the task.
    pub fn new(db: Db, settings: Settings) -> Self {
        Self { db, settings }
    }

    /// Applies every policy once, and returns the number of rows, scans and archives. A policy that
    /// fails does not stop the others. Idempotent; any number of processes may run it at once.
    ///
    /// # Errors
    /// Returns the last error if the database failed.
    pub async fn run_once(&self, now: Timestamp) -> Result<u64, entities::Error> {
        let mut outcome = Ok(0);
        for policy in &POLICIES {
            match policy.apply(&self.db, &self.settings, now).await {
                Ok(0) => {}
                Ok(deleted) => {
                    tracing::info!(deleted, what = policy.what, "deleted what is no longer kept");
                    outcome = outcome.map(|total| total + deleted);
                }
                Err(error) => {
                    tracing::warn!(%error, what = policy.what, "failed to delete what is no longer kept");
                    outcome = Err(error);
                }
            }
        }
        outcome
    }
}
