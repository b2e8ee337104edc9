//! Deletes everything whose retention has ended.

use std::time::Duration;

use domain::Timestamp;
use entities::Db;
use tokio_util::sync::CancellationToken;

use super::{
    Schedule,
    retention::{POLICIES, Settings},
};

/// Time between two runs.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The background task that applies the retention policies.
pub struct Sweeper {
    db: Db,
    settings: Settings,
}

impl Sweeper {
    /// Creates the task.
    pub fn new(db: Db, settings: Settings) -> Self {
        Self { db, settings }
    }

    /// Runs until `stop` is cancelled. Errors are logged, and the next run tries again.
    pub async fn run(self, stop: CancellationToken) {
        let mut schedule = Schedule::every(INTERVAL, stop);
        while schedule.tick().await {
            // `run_once` has logged the error.
            let _ = self.run_once(Timestamp::now()).await;
        }
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
