//! Watches the service's database from outside while faults happen.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use entities::{Db, Reader};
use sea_orm::{ConnectionTrait, Statement};
use tokio::task::JoinHandle;

/// Maximum number of scans of an account and mode in progress, as the API documents it.
const MAX_IN_PROGRESS: i64 = 3;
/// Time between two looks.
const POLL: Duration = Duration::from_millis(200);
/// Maximum time of a look. The database may be stopped.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watch {
    seen: Arc<Mutex<Observations>>,
    watching: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Observations {
    states: BTreeSet<String>,
    violations: BTreeSet<String>,
    looks: usize,
    most_in_progress: i64,
}

impl Watch {
    /// Starts to watch.
    pub fn start(db: Db) -> Self {
        let seen = Arc::new(Mutex::new(Observations::default()));
        let shared = seen.clone();
        let watching = tokio::spawn(async move {
            loop {
                // A look fails while the database is away.
                if let Ok(Ok((states, busy))) = tokio::time::timeout(TIMEOUT, look(&db)).await {
                    shared.lock().unwrap_or_else(PoisonError::into_inner).add(states, busy);
                }
                tokio::time::sleep(POLL).await;
            }
        });
        Self { seen, watching }
    }

    /// Returns the states of scans that were open at the last look: a status, or the stage if it is
    /// processing.
    pub fn open_states(&self) -> BTreeSet<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).states.clone()
    }

    /// Returns the number of looks, and the largest number of scans of an account that were in progress.
    pub fn summary(&self) -> (usize, i64) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (seen.looks, seen.most_in_progress)
    }

    /// Returns a line for each account that had too many scans in progress.
    pub fn violations(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).violations.iter().cloned().collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Observations {
    fn add(&mut self, states: BTreeSet<String>, busy: Vec<(String, i64)>) {
        self.states = states;
        self.looks += 1;
        for (account, count) in busy {
            self.most_in_progress = self.most_in_progress.max(count);
            if count > MAX_IN_PROGRESS {
                self.violations
                    .insert(format!("{account} had more than {MAX_IN_PROGRESS} scans in progress"));
            }
        }
    }
}

/// Returns the states of open scans, and the number of scans in progress of each account. One statement, so
/// that both are of one moment.
async fn look(db: &Db) -> anyhow::Result<(BTreeSet<String>, Vec<(String, i64)>)> {
    let query = "SELECT account_id, COALESCE(stage, status) AS state, CAST(COUNT(*) AS BIGINT) AS number,
                 status IN ('queued', 'processing') AS in_progress FROM scans
                 WHERE status IN ('awaiting_upload', 'queued', 'processing')
                 GROUP BY account_id, COALESCE(stage, status), status";
    let rows = db.conn().query_all_raw(Statement::from_string(db.backend(), query)).await?;
    let (mut states, mut busy) = (BTreeSet::new(), std::collections::BTreeMap::new());
    for row in rows {
        states.insert(row.try_get::<String>("", "state")?);
        if row.try_get::<bool>("", "in_progress")? {
            *busy.entry(row.try_get::<String>("", "account_id")?).or_insert(0) +=
                row.try_get::<i64>("", "number")?;
        }
    }
    Ok((states, busy.into_iter().collect()))
}
