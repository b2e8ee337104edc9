//! Announces committed entries to the relays, in this process and (on PostgreSQL) in all others.

use std::convert::Infallible;

use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, RuntimeErr, Statement,
    sqlx::{
        self,
        postgres::{PgListener, PgPoolOptions},
    },
};
use tokio::sync::watch;

use super::Kind;
use crate::{Db, Error, Reader, Result, WriteTxn};

/// PostgreSQL channel on which a commit announces an entry that is due at once, by its kind.
const CHANNEL: &str = "scan_outbox";

/// Returns a receiver that changes each time an entry of this kind that is due at once is committed
/// by this process, or by another one while [`listen`] runs. Other entries are found by polling.
pub fn subscribe(db: &Db, kind: Kind) -> watch::Receiver<()> {
    db.wakeups().subscribe(kind)
}

/// Wakes the relays of this process for the entries that other processes commit. Runs until it
/// fails. SQLite has no notifications, so it does nothing there.
///
/// Uses a connection of its own, because the pool may be small.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn listen(db: &Db) -> Result<Infallible> {
    if db.backend() != DbBackend::Postgres {
        return std::future::pending().await;
    }
    let options = db.conn().get_postgres_connection_pool().connect_options();
    let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.as_ref().clone());
    let mut listener = PgListener::connect_with(&pool).await.map_err(connection_error)?;
    listener.listen(CHANNEL).await.map_err(connection_error)?;
    loop {
        let notification = listener.recv().await.map_err(connection_error)?;
        if let Some(kind) = Kind::parse(notification.payload()) {
            db.wakeups().wake(kind);
        }
    }
}

fn connection_error(error: sqlx::Error) -> Error {
    DbErr::Conn(RuntimeErr::SqlxError(error.into())).into()
}

/// Wakes the relays of all processes for entries of this kind, once the transaction is committed.
pub(super) async fn announce(txn: &WriteTxn, kind: Kind) -> Result<()> {
    txn.wake_after_commit(kind);
    if txn.conn().get_database_backend() == DbBackend::Postgres {
        let values = [CHANNEL.into(), kind.as_str().into()];
        let notify = Statement::from_sql_and_values(DbBackend::Postgres, "SELECT pg_notify($1, $2)", values);
        txn.conn().execute_raw(notify).await?;
    }
    Ok(())
}
