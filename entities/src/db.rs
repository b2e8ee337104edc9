//! Connections and transactions, the same for SQLite and PostgreSQL.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, PoisonError},
    time::Duration,
};

use domain::Secret;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{
    Error, Result, Transient, failpoint,
    outbox::{kind::Kind, wakeups::Wakeups},
};

/// `cache_size` of each SQLite connection; a negative number is a size in KiB. The default of 2 MB
/// is smaller than a search index, so each search would read the index from the operating system.
const SQLITE_CACHE_SIZE: &str = "-16384";
/// Maximum time SQLite waits for a writer of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of retries of a transaction in [`Db::write`] after a conflict.
const RETRIES: u32 = 6;
/// Wait before the first retry; doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(10);
/// Maximum time of a probe: longer than a server under load needs, and short enough for callers that
/// have to respond within two seconds.
const PROBE_TIMEOUT: Duration = Duration::from_millis(700);

/// Settings of the database.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `sqlite://path/to/file.db` (created if missing) or `postgres://user:password@host/name`.
    pub url: Secret,
    /// Maximum number of connections of this process.
    pub max_connections: u32,
    /// Maximum time a request waits for a free connection, in seconds.
    pub acquire_timeout_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { url: Secret::default(), max_connections: 10, acquire_timeout_seconds: 30 }
    }
}

impl Settings {
    /// Returns the default settings for the database at `url`.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: Secret::new(url), ..Self::default() }
    }
}

/// The database. All clones share one connection pool.
#[derive(Debug, Clone)]
pub struct Db {
    conn: DatabaseConnection,
    /// On SQLite, the writers of this process queue here in order of arrival, instead of polling
    /// the file lock. `None` on PostgreSQL, which has row locks.
    writer: Option<Arc<Mutex<()>>>,
    /// One connection for [`Db::responds`], opened by the first call. The connections of the pool may all
    /// wait for a server that hangs. `None` on SQLite.
    probe: Option<DatabaseConnection>,
    wakeups: Arc<Wakeups>,
}

/// A source of reads: the database or an open transaction.
pub trait Reader: Send + Sync {
    /// Type of the connection.
    type Connection: ConnectionTrait;
    /// Returns the connection for queries.
    fn conn(&self) -> &Self::Connection;
}

impl Reader for Db {
    type Connection = DatabaseConnection;
    fn conn(&self) -> &DatabaseConnection {
        &self.conn
    }
}

impl Reader for WriteTxn {
    type Connection = DatabaseTransaction;
    fn conn(&self) -> &DatabaseTransaction {
        failpoint::trigger();
        &self.0.txn
    }
}

/// A write transaction. Without [`WriteTxn::commit`], it is rolled back.
///
/// Clones are handles to the same transaction. On SQLite it holds the only write lock from its
/// beginning. On PostgreSQL it is READ COMMITTED, so rows that a decision depends on must be locked
/// first; the functions of this crate do so.
#[derive(Debug, Clone)]
pub struct WriteTxn(Arc<OpenTxn>);

#[derive(Debug)]
struct OpenTxn {
    // Declared before the guard and so dropped before it: the transaction ends before the next
    // writer begins.
    txn: DatabaseTransaction,
    _queue_guard: Option<OwnedMutexGuard<()>>,
    /// Kinds of the outbox entries whose relays are woken after the commit.
    enqueued: std::sync::Mutex<Vec<Kind>>,
    wakeups: Arc<Wakeups>,
}

impl WriteTxn {
    /// Commits the transaction.
    ///
    /// # Errors
    /// Returns an error if the database refuses or another handle is still open. Nothing is written
    /// then.
    pub async fn commit(self) -> Result<()> {
        let open = Arc::into_inner(self.0).ok_or(Error::StillInUse)?;
        failpoint::trigger();
        open.txn.commit().await?;
        failpoint::trigger();
        for kind in open.enqueued.into_inner().unwrap_or_else(PoisonError::into_inner) {
            open.wakeups.wake(kind);
        }
        Ok(())
    }

    /// Wakes the relays of this process for entries of this kind, once the transaction is
    /// committed.
    pub(crate) fn wake_after_commit(&self, kind: Kind) {
        self.0.enqueued.lock().unwrap_or_else(PoisonError::into_inner).push(kind);
    }

    /// Rolls the transaction back.
    ///
    /// # Errors
    /// Returns an error if the connection broke. Nothing is written then either.
    pub async fn rollback(self) -> Result<()> {
        match Arc::into_inner(self.0) {
            Some(open) => Ok(open.txn.rollback().await?),
            // The last handle ends the transaction, which was never committed.
            None => Ok(()),
        }
    }
}

impl Db {
    /// Connects to the database. A missing SQLite file is created with its folder, and set to
    /// write-ahead logging, foreign key checks and `synchronous = FULL`, so that committed money
    /// survives a power failure.
    ///
    /// # Errors
    /// Returns an error if the URL names no supported database or the database cannot be reached.
    pub async fn connect(settings: &Settings) -> Result<Self> {
        let url = settings.url.reveal();
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(settings.max_connections.max(2))
            .acquire_timeout(Duration::from_secs(settings.acquire_timeout_seconds))
            .sqlx_logging(false);
        let sqlite = url.starts_with("sqlite:");
        if sqlite {
            create_folder_of(url)?;
            // A connection to a file cannot break, and a ping before each query would double the
            // cost of short queries.
            options.test_before_acquire(false);
            options.map_sqlx_sqlite_opts(|sqlite| {
                sqlite
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(true)
                    .busy_timeout(BUSY_TIMEOUT)
                    .pragma("cache_size", SQLITE_CACHE_SIZE)
            });
        } else if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
            return Err(Error::Url("must start with sqlite: or postgres:".into()));
        }
        let conn = open(options).await?;
        let probe = if sqlite { None } else { Some(connect_probe(url).await?) };
        Ok(Self { conn, writer: sqlite.then(Arc::default), probe, wakeups: Arc::default() })
    }

    pub(crate) fn wakeups(&self) -> &Wakeups {
        &self.wakeups
    }

    /// Returns the kind of database.
    pub fn backend(&self) -> DbBackend {
        self.conn.get_database_backend()
    }

    /// Pings the database.
    ///
    /// # Errors
    /// Returns an error if the database does not respond.
    pub async fn ping(&self) -> Result<()> {
        Ok(self.conn.ping().await?)
    }

    /// Returns whether the server responds within 0.7 s. A server that hangs keeps its connections open,
    /// so only a time limit tells. SQLite has no server, so it always responds.
    pub async fn responds(&self) -> bool {
        let Some(probe) = &self.probe else { return true };
        matches!(tokio::time::timeout(PROBE_TIMEOUT, probe.ping()).await, Ok(Ok(())))
    }

    /// Copies an SQLite database to a new file, as it is at this moment. Other connections read and write
    /// meanwhile; the write-ahead log grows until the copy is complete.
    ///
    /// # Errors
    /// Returns an error if the database is not SQLite, or the file exists or cannot be written.
    pub async fn back_up(&self, file: &Path) -> Result<()> {
        let path = file.to_str().filter(|_| self.backend() == DbBackend::Sqlite);
        let path = path.ok_or_else(|| Error::Url("only an SQLite database is copied: use pg_dump".into()))?;
        let copy = Statement::from_sql_and_values(DbBackend::Sqlite, "VACUUM INTO $1", [path.into()]);
        self.conn.execute_raw(copy).await?;
        Ok(())
    }

    /// Closes the connection pool of all clones.
    ///
    /// # Errors
    /// Returns an error if a connection cannot be closed.
    pub async fn close(self) -> Result<()> {
        if let Some(probe) = self.probe {
            probe.close().await?;
        }
        Ok(self.conn.close().await?)
    }

    /// Begins a write transaction. Prefer [`Db::write`], which also retries.
    ///
    /// A task must not begin a second transaction while it holds one: on SQLite it would wait for
    /// itself.
    ///
    /// # Errors
    /// Returns an error if no connection is free, or on SQLite if another process writes for too
    /// long.
    pub async fn begin_write(&self) -> Result<WriteTxn> {
        let queue_guard = match &self.writer {
            Some(writer) => Some(writer.clone().lock_owned().await),
            None => None,
        };
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..Default::default()
        };
        let txn = self.conn.begin_with_options(options).await?;
        Ok(WriteTxn(Arc::new(OpenTxn {
            txn,
            _queue_guard: queue_guard,
            enqueued: std::sync::Mutex::default(),
            wakeups: self.wakeups.clone(),
        })))
    }

    /// Runs `work` in one transaction, which is committed on `Ok` and rolled back on `Err`. After a
    /// conflict with another transaction, all of it runs again, up to a fixed number of times, so
    /// `work` must have no effects outside the transaction.
    ///
    /// `work` takes the transaction by value, because the compiler cannot yet prove that the future
    /// of a closure with a borrowed argument and captured references is `Send`. Call it as
    /// `db.write(async |txn| spaces::insert(&txn, tenant, &new, now).await)`.
    ///
    /// # Errors
    /// Returns the error of `work`, or an error if the database fails.
    pub async fn write<T, E, F, W>(&self, work: F) -> Result<T, E>
    where
        F: Fn(WriteTxn) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error> + Transient,
    {
        let mut retry = 0;
        loop {
            match self.write_once(&work).await {
                Err(e) if e.is_transient() && retry < RETRIES => {
                    tracing::debug!(retry, "retrying after a conflict with another transaction");
                    tokio::time::sleep(FIRST_WAIT * 2_u32.pow(retry) + jitter()).await;
                    retry += 1;
                }
                outcome => return outcome,
            }
        }
    }

    async fn write_once<T, E, F, W>(&self, work: &F) -> Result<T, E>
    where
        F: Fn(WriteTxn) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        let txn = self.begin_write().await?;
        match work(txn.clone()).await {
            Ok(value) => {
                txn.commit().await?;
                Ok(value)
            }
            Err(e) => {
                // If the rollback fails too, the first error is the more useful one.
                let _ = txn.rollback().await;
                Err(e)
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that connects")]
async fn open(options: ConnectOptions) -> Result<DatabaseConnection> {
    Ok(Database::connect(options).await?)
}

/// Creates the pool of the one connection that probes the server. Connects when it is first used.
async fn connect_probe(url: &str) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(1)
        .min_connections(0)
        .connect_lazy(true)
        .acquire_timeout(PROBE_TIMEOUT)
        .sqlx_logging(false);
    open(options).await
}

/// Adds jitter, so that conflicting transactions do not conflict again.
#[expect(clippy::disallowed_methods, reason = "only its last digits are used, as jitter")]
fn jitter() -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| u64::from(since.subsec_nanos()));
    Duration::from_micros(nanos % 10_000)
}

/// Returns the file of an SQLite URL.
fn sqlite_file(url: &str) -> Result<PathBuf> {
    let options = SqliteConnectOptions::from_str(url).map_err(|e| Error::Url(e.to_string()))?;
    let file = options.get_filename().to_path_buf();
    if file.as_os_str().is_empty() || url.contains(":memory:") || url.contains("mode=memory") {
        return Err(Error::Url("SQLite needs a file: several connections share it".into()));
    }
    Ok(file)
}

fn create_folder_of(url: &str) -> Result<()> {
    let file = sqlite_file(url)?;
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            std::fs::create_dir_all(folder).map_err(|e| Error::Url(format!("{}: {e}", folder.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_in_memory_sqlite() {
        assert!(sqlite_file("sqlite::memory:").is_err());
        assert!(sqlite_file("sqlite://").is_err());
        assert_eq!(sqlite_file("sqlite:///data/scan.db").unwrap(), PathBuf::from("/data/scan.db"));
        assert_eq!(sqlite_file("sqlite://scan.db?mode=rwc").unwrap(), PathBuf::from("scan.db"));
    }

    #[tokio::test]
    async fn refuses_other_databases() {
        let refused = Db::connect(&Settings::at("mysql://localhost/scan")).await;
        assert!(matches!(refused, Err(Error::Url(_))));
    }
}
