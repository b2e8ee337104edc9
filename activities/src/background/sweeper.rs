//! Deletes expired sessions and mailed tokens.

use std::time::Duration;

use domain::Timestamp;
use entities::{Db, sessions, user_tokens};
use tokio_util::sync::CancellationToken;

use super::Schedule;

/// Time between two runs.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long expired rows are kept for incident investigation.
const RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The background task that deletes expired sessions and mailed tokens.
pub struct Sweeper {
    db: Db,
}

impl Sweeper {
    /// Creates the task.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Runs until `stop` is cancelled. Errors are logged, and the next run tries again.
    pub async fn run(self, stop: CancellationToken) {
        let mut schedule = Schedule::every(INTERVAL, stop);
        while schedule.tick().await {
            match self.run_once(Timestamp::now()).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(rows, "deleted expired sessions and tokens"),
                Err(error) => tracing::warn!(%error, "failed to delete expired sessions and tokens"),
            }
        }
    }

    /// Deletes all rows whose retention is over, and returns their number.
    ///
    /// # Errors
    /// Returns an error if the database is unavailable.
    pub async fn run_once(&self, now: Timestamp) -> Result<u64, entities::Error> {
        let before = now.minus(RETENTION);
        self.db
            .write(async |txn| {
                Ok(sessions::purge(&txn, before).await? + user_tokens::purge(&txn, before).await?)
            })
            .await
    }
}
