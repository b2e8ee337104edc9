//! The sweeper: forgets what people were let in by, once its time is over.

use std::time::Duration;

use domain::Timestamp;
use entities::{Db, sessions, user_tokens};
use tokio_util::sync::CancellationToken;

/// How often it sweeps.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long what is over is kept, for whoever looks into what happened.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Sweeps until it is stopped. Any number may run.
pub struct Sweeper {
    db: Db,
}

impl Sweeper {
    /// A sweeper of this database.
    pub fn new(db: Db) -> Self {
        Self { db }
    }

    /// Runs until `stop` is cancelled. Trouble is logged and tried again in the next round.
    pub async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => {}
            }
            match self.once(Timestamp::now()).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(rows, "swept sessions and tokens"),
                Err(error) => tracing::warn!(%error, "not swept"),
            }
        }
    }

    /// One round; says how many sessions and tokens were forgotten.
    ///
    /// # Errors
    /// Of the database.
    pub async fn once(&self, now: Timestamp) -> Result<u64, entities::Error> {
        let before = now.minus(KEPT);
        self.db
            .write(async |txn| {
                Ok(sessions::purge(&txn, before).await? + user_tokens::purge(&txn, before).await?)
            })
            .await
    }
}
