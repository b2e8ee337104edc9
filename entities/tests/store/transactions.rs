//! Tests of transactions: several processes, deadlocks, and handles that outlive their transaction.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use entities::{
    Db, Error, Tenant, WriteTxn,
    testing::{self, databases, on_each_database},
    wallets,
};
use sea_orm::DbBackend;
use tokio::{sync::Barrier, task::JoinSet};

async fn account_with_wallet(db: &Db) -> Tenant {
    let tenant = testing::account(db).await;
    db.write(async |txn| wallets::open(&txn, &tenant).await).await.unwrap();
    tenant
}

async fn balance(db: &Db, tenant: &Tenant) -> i64 {
    wallets::find(db, tenant).await.unwrap().unwrap().balance_cents
}

/// Reads the balance, yields to other tasks, and writes the balance plus one.
async fn increment(txn: &WriteTxn, tenant: &Tenant) -> entities::Result<()> {
    let before = wallets::lock(txn, tenant).await?.unwrap().balance_cents;
    tokio::task::yield_now().await;
    let now = balance_in(txn, tenant).await?;
    wallets::add(txn, tenant, before + 1 - now, 0).await
}

async fn balance_in(txn: &WriteTxn, tenant: &Tenant) -> entities::Result<i64> {
    Ok(wallets::find(txn, tenant).await?.unwrap().balance_cents)
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_processes_lose_no_write() {
    for database in databases().await {
        let tenant = account_with_wallet(database.db()).await;
        let mut writers = JoinSet::new();
        for _ in 0..3 {
            // A separate connection pool stands for another process.
            let process = Db::connect(database.settings()).await.unwrap();
            for _ in 0..20 {
                let (db, tenant) = (process.clone(), tenant.clone());
                writers.spawn(async move {
                    db.write(async |txn| increment(&txn, &tenant).await).await.unwrap();
                });
            }
        }
        writers.join_all().await;
        assert_eq!(balance(database.db(), &tenant).await, 60);
        database.drop_database().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_one_transaction_of_a_deadlock() {
    on_each_database(async |db| {
        let tenants = [account_with_wallet(&db).await, account_with_wallet(&db).await];
        let barrier = Arc::new(Barrier::new(2));
        let runs = Arc::new(AtomicU32::new(0));
        let has_row_locks = db.backend() == DbBackend::Postgres;
        let mut writers = JoinSet::new();
        for first in [0, 1] {
            let (db, barrier, runs) = (db.clone(), barrier.clone(), runs.clone());
            let (mine, other) = (tenants[first].clone(), tenants[1 - first].clone());
            writers.spawn(async move {
                db.write(async |txn| {
                    increment(&txn, &mine).await?;
                    if runs.fetch_add(1, Ordering::SeqCst) < 2 && has_row_locks {
                        barrier.wait().await;
                    }
                    increment(&txn, &other).await
                })
                .await
                .unwrap();
            });
        }
        writers.join_all().await;
        for tenant in &tenants {
            assert_eq!(balance(&db, tenant).await, 2);
        }
        assert_eq!(runs.load(Ordering::SeqCst), if has_row_locks { 3 } else { 2 });
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_to_commit_while_another_handle_is_open() {
    on_each_database(async |db| {
        let tenant = account_with_wallet(&db).await;
        let leaked = std::sync::Mutex::new(None);
        let outcome = db
            .write(async |txn| {
                increment(&txn, &tenant).await?;
                *leaked.lock().unwrap() = Some(txn.clone());
                Ok::<_, Error>(())
            })
            .await;
        assert!(matches!(outcome, Err(Error::StillInUse)), "{outcome:?}");
        drop(leaked);
        db.write(async |txn| increment(&txn, &tenant).await).await.unwrap();
        assert_eq!(balance(&db, &tenant).await, 1, "the first increment was committed");
    })
    .await;
}

/// A transaction that reads first and locks later would fail at its first write if another process
/// wrote meanwhile.
#[tokio::test]
async fn on_sqlite_a_transaction_holds_the_write_lock_from_its_beginning() {
    use sea_orm::ConnectionTrait;
    let database = testing::TestDatabase::sqlite().await;
    let mut options = sea_orm::ConnectOptions::new(database.settings().url.reveal());
    options.map_sqlx_sqlite_opts(|sqlite| sqlite.busy_timeout(std::time::Duration::ZERO));
    let other = sea_orm::Database::connect(options).await.unwrap();
    let write = async || other.execute_unprepared("UPDATE accounts SET name = name").await;

    let txn = database.db().begin_write().await.unwrap();
    let refused = Error::from(write().await.unwrap_err());
    assert_eq!(refused.code().as_deref(), Some("5"));
    txn.commit().await.unwrap();
    write().await.unwrap();
}
