//! Connections and transactions, the same for SQLite and PostgreSQL.

use std::{path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use domain::Secret;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{Error, Result, Transient, failpoint::line};

/// Pages that each connection to SQLite keeps, in KiB (negative: not in pages). The 2 MB that it keeps by itself hold no
/// index of many spaces, and each search would copy it from the system again.
const CACHE_KIB: &str = "-16384";
/// How long SQLite waits for a writer of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(15);
/// How often [`Db::write`] runs a transaction again that another one was in the way of.
const RETRIES: u32 = 6;
/// The first wait before running it again; doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// Where the database is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `sqlite://path/to/file.db` (created when missing) or `postgres://user:password@host/name`.
    pub url: Secret,
    /// Most connections of this process.
    pub max_connections: u32,
    /// How long a request waits for a free connection, in seconds.
    pub acquire_timeout_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { url: Secret::default(), max_connections: 10, acquire_timeout_seconds: 30 }
    }
}

impl Settings {
    /// Default settings for the database at `url`.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: Secret::new(url), ..Self::default() }
    }
}

/// The database. Cheap to clone; all clones share one pool of connections.
#[derive(Debug, Clone)]
pub struct Db {
    conn: DatabaseConnection,
    /// On SQLite, writers of this process take turns here, in order of arrival, instead of polling
    /// the file's lock. `None` on PostgreSQL, which has row locks.
    writer: Option<Arc<Mutex<()>>>,
}

/// Something that can be read from: the database, or an open transaction.
pub trait Reader: Send + Sync {
    /// The kind of connection behind it.
    type Connection: ConnectionTrait;
    /// The connection to run queries on.
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
        line();
        &self.0.txn
    }
}

/// A transaction that may write. Ended without [`WriteTxn::commit`], it changes nothing.
///
/// Clones are handles to the same transaction. On SQLite it holds the only write lock from its beginning. On PostgreSQL it is read committed, so
/// what is decided on must be locked first; the functions of this crate do so.
#[derive(Debug, Clone)]
pub struct WriteTxn(Arc<OpenTxn>);

#[derive(Debug)]
struct OpenTxn {
    // Before the turn, so that it ends before the next writer begins.
    txn: DatabaseTransaction,
    _turn: Option<OwnedMutexGuard<()>>,
}

impl WriteTxn {
    /// Makes everything written in it durable and visible, at once.
    ///
    /// # Errors
    /// When the database refuses, or another handle to it is still held; nothing is written then.
    pub async fn commit(self) -> Result<()> {
        let open = Arc::into_inner(self.0).ok_or(Error::StillInUse)?;
        line();
        open.txn.commit().await?;
        line();
        Ok(())
    }

    /// Gives up everything written in it.
    ///
    /// # Errors
    /// When the connection broke; nothing is written then either.
    pub async fn rollback(self) -> Result<()> {
        match Arc::into_inner(self.0) {
            Some(open) => Ok(open.txn.rollback().await?),
            // It ends with its last handle, and was never committed.
            None => Ok(()),
        }
    }
}

impl Db {
    /// Connects. An SQLite file (and its folder) is created when missing, and set to write-ahead
    /// logging, checked foreign keys and `synchronous = FULL`: what was answered survives a power cut,
    /// as money should.
    ///
    /// # Errors
    /// When the URL is of neither kind, or the database cannot be reached.
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
            // A file does not hang up: to ask before each query would double what a short one costs.
            options.test_before_acquire(false);
            options.map_sqlx_sqlite_opts(|sqlite| {
                sqlite
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(true)
                    .busy_timeout(BUSY_TIMEOUT)
                    .pragma("cache_size", CACHE_KIB)
            });
        } else if !url.starts_with("postgres:") && !url.starts_with("postgresql:") {
            return Err(Error::Url("must start with sqlite: or postgres:".into()));
        }
        #[expect(clippy::disallowed_methods, reason = "the one place that connects")]
        let conn = Database::connect(options).await?;
        Ok(Self { conn, writer: sqlite.then(Arc::default) })
    }

    /// Which of the two kinds of database this is.
    pub fn backend(&self) -> DbBackend {
        self.conn.get_database_backend()
    }

    /// Asks the database whether it is there.
    ///
    /// # Errors
    /// When it is not.
    pub async fn ping(&self) -> Result<()> {
        Ok(self.conn.ping().await?)
    }

    /// Closes every connection of every clone.
    ///
    /// # Errors
    /// When a connection cannot be closed in order.
    pub async fn close(self) -> Result<()> {
        Ok(self.conn.close().await?)
    }

    /// Begins a transaction that may write. Prefer [`Db::write`], which also retries.
    ///
    /// A task must not begin a second one while it holds the first: on SQLite it would wait for itself.
    ///
    /// # Errors
    /// When no connection is to be had, or (SQLite) another process writes for too long.
    pub async fn begin_write(&self) -> Result<WriteTxn> {
        let turn = match &self.writer {
            Some(writer) => Some(writer.clone().lock_owned().await),
            None => None,
        };
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..Default::default()
        };
        let txn = self.conn.begin_with_options(options).await?;
        Ok(WriteTxn(Arc::new(OpenTxn { txn, _turn: turn })))
    }

    /// Runs `work` in one transaction: committed when it answers `Ok`, undone when it answers `Err`.
    /// When another transaction was in the way, all of it runs again, a bounded number of times, so
    /// `work` must do nothing that a transaction does not undo.
    ///
    /// `work` is handed the transaction and not a reference to it: of a closure that holds references and
    /// takes one more, the compiler cannot tell yet that its future may move between threads. Hence
    /// `db.write(async |txn| spaces::insert(&txn, tenant, &new, now).await)`.
    ///
    /// # Errors
    /// What `work` answers, or what the database refuses.
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
                    tracing::debug!(retry, "another transaction was in the way");
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
                // A broken connection cannot roll back, and has nothing to: the first error says more.
                let _ = txn.rollback().await;
                Err(e)
            }
        }
    }
}

/// Keeps two that were in each other's way from meeting again.
#[expect(clippy::disallowed_methods, reason = "only its last digits are used, as jitter")]
fn jitter() -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| u64::from(since.subsec_nanos()));
    Duration::from_micros(nanos % 10_000)
}

/// The file of an SQLite URL.
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
    fn refuses_a_database_that_connections_would_not_share() {
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
