//! Applies pending migrations: on PostgreSQL one by one, without holding up the running service.

use std::time::{Duration, Instant};

use sea_orm_migration::{
    prelude::*,
    sea_orm::{
        ConnectionTrait, DatabaseConnection, DbBackend, RuntimeErr, SqliteTransactionMode,
        SqlxPostgresConnector, Statement, TransactionOptions, TransactionTrait,
        sqlx::{
            self,
            postgres::{PgConnectOptions, PgPoolOptions},
        },
    },
};

use crate::compatibility::Comparison;

/// PostgreSQL advisory lock of the session that migrates. The number is arbitrary but fixed.
const MIGRATION_LOCK: i64 = 0x5ca9_0001;
/// Name of the session that migrates, as PostgreSQL shows it.
const SESSION_NAME: &str = "scan-migrate";
/// Time between two attempts to take the advisory lock.
const LOCK_POLL: Duration = Duration::from_millis(200);
/// Maximum wait before a migration is tried again.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(10);
/// Errors of PostgreSQL after which a migration is tried again: `lock_not_available` and
/// `deadlock_detected`.
const LOCK_CONFLICTS: [&str; 2] = ["55P03", "40P01"];

/// Limits on PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Maximum time that a statement waits for a lock, and so the maximum time that other sessions
    /// queue behind it. Longer than PostgreSQL's `deadlock_timeout` (one second), because only
    /// after that does an automatic vacuum give way.
    pub lock_timeout: Duration,
    /// Time after which a migration is no longer tried again.
    pub give_up_after: Duration,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { lock_timeout: Duration::from_secs(2), give_up_after: Duration::from_secs(15 * 60) }
    }
}

/// Applies the pending migrations of `M` and returns their names.
///
/// On PostgreSQL, each migration is a transaction of its own, except those that ask for none. A
/// migration that does not get its locks in time is rolled back and tried again. One session runs
/// all of them and holds an advisory lock, which ends with it: another process then continues where
/// this one was interrupted. On SQLite, all migrations are one transaction.
///
/// # Errors
/// Returns an error if a migration fails, or if the database has migrations that `M` does not know
/// and lacks others.
pub async fn run<M: MigratorTrait>(
    db: &DatabaseConnection,
    options: &RunOptions,
) -> Result<Vec<String>, DbErr> {
    if db.get_database_backend() == DbBackend::Sqlite {
        return run_on_sqlite::<M>(db).await;
    }
    if pending::<M>(db).await?.is_empty() {
        return Ok(Vec::new());
    }
    let session = open_session(db, options).await?;
    let applied = run_in_session::<M>(&session, options).await;
    // Ends the session, and with it the lock.
    let _ = session.close().await;
    applied
}

async fn run_on_sqlite<M: MigratorTrait>(db: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..Default::default()
    };
    let txn = db.begin_with_options(options).await?;
    let pending = pending::<M>(&txn).await?;
    if !pending.is_empty() {
        M::up(&txn, None).await?;
    }
    txn.commit().await?;
    Ok(pending)
}

async fn run_in_session<M: MigratorTrait>(
    session: &DatabaseConnection,
    options: &RunOptions,
) -> Result<Vec<String>, DbErr> {
    let mut applied = Vec::new();
    loop {
        // Repeated for each migration, because the pool replaces a broken connection. A session may
        // take its own lock again.
        await_lock(session).await?;
        let Some(next) = pending::<M>(session).await?.into_iter().next() else { return Ok(applied) };
        apply_next::<M>(session, &next, options).await?;
        tracing::info!(migration = next, "migration applied");
        applied.push(next);
    }
}

/// Returns the names of the pending migrations, in order.
async fn pending<M: MigratorTrait>(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let Comparison { pending, unknown } = Comparison::read::<M>(db).await?;
    if pending.is_empty() || unknown.is_empty() {
        return Ok(pending);
    }
    Err(DbErr::Migration(format!(
        "the database lacks the migrations {}, and has others that this program does not know: {}; \
         migrate with the newest release",
        pending.join(", "),
        unknown.join(", ")
    )))
}

/// Applies the first pending migration. Tries again while other sessions hold its locks.
async fn apply_next<M: MigratorTrait>(
    session: &DatabaseConnection,
    name: &str,
    options: &RunOptions,
) -> Result<(), DbErr> {
    let started = Instant::now();
    let mut wait = options.lock_timeout;
    loop {
        match M::up(session, Some(1)).await {
            Err(error) if is_lock_conflict(&error) => {
                if started.elapsed() >= options.give_up_after {
                    let tried = started.elapsed().as_secs();
                    return Err(DbErr::Migration(format!(
                        "{name} did not get its locks for {tried} s; end the long transactions and run \
                         `scan migrate` again: {error}"
                    )));
                }
                tracing::warn!(migration = name, ?wait, %error, "other transactions hold locks; trying again");
                // Those who queued behind the migration go first.
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(MAX_RETRY_WAIT);
            }
            outcome => return outcome,
        }
    }
}

/// Opens the session that migrates: a pool of one connection that is never replaced by age.
async fn open_session(db: &DatabaseConnection, options: &RunOptions) -> Result<DatabaseConnection, DbErr> {
    let connect = PgConnectOptions::clone(&db.get_postgres_connection_pool().connect_options());
    let connect = connect.application_name(SESSION_NAME).options([
        ("lock_timeout", options.lock_timeout.as_millis().to_string()),
        // The role may have limits that suit requests. An index of a large table takes longer.
        ("statement_timeout", "0".to_owned()),
        ("idle_in_transaction_session_timeout", "0".to_owned()),
    ]);
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_with(connect)
        .await
        .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?;
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}

/// Takes the advisory lock, or waits for the process that has it. Polls, because a session that
/// waits inside a statement would hold up `CREATE INDEX CONCURRENTLY` in the other one for ever.
async fn await_lock(session: &DatabaseConnection) -> Result<(), DbErr> {
    let attempt = || {
        Statement::from_string(
            DbBackend::Postgres,
            format!("SELECT pg_try_advisory_lock({MIGRATION_LOCK}) AS locked"),
        )
    };
    let mut logged = false;
    loop {
        let row = session.query_one_raw(attempt()).await?;
        if row.is_some_and(|row| row.try_get("", "locked").unwrap_or(false)) {
            return Ok(());
        }
        if !logged {
            tracing::info!("waiting for another process that migrates");
            logged = true;
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
}

fn is_lock_conflict(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) = error
    else {
        return false;
    };
    let sqlx::Error::Database(error) = error.as_ref() else { return false };
    error.code().is_some_and(|code| LOCK_CONFLICTS.contains(&code.as_ref()))
}
