//! Deletes expired sessions and mailed tokens.

use std::time::Duration;

use domain::Timestamp;
use entities::{Db, sessions, user_tokens};

/// How long expired rows are kept for incident investigation.
const RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The periodic task that deletes expired sessions and mailed tokens.
pub struct Sweeper {
    db: Db,
}

impl Sweeper {
    /// Creates the task.
    pub fn new(db: Db) -> Self {
        Self { db }
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
