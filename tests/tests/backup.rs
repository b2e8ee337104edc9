//! Backup and restore of both databases while the service writes: the restored database has every
//! committed row of the moment of the backup, and its ledger balances.

#![allow(clippy::disallowed_methods, reason = "tests start programs and connect past `entities::Db`")]

use std::{
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::Timestamp;
use entities::{Db, Reader, Settings, testing};
use ledger::Credit;
use sea_orm::{ConnectionTrait, Statement};
use temporary_postgres::{Durability, Postgres};
use tokio::task::JoinHandle;

/// Number of grants before the backup.
const BEFORE: usize = 20;

async fn grant(db: &Db, number: usize) {
    let (tenant, now) = (testing::account(db).await, Timestamp::now());
    let opened: ledger::Result<()> =
        db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, 3, now).await).await;
    opened.unwrap();
    let credit = Credit { tenant, cents: 700, free_scans: 1, reference: format!("grant {number}") };
    ledger::grant(db, &credit, now).await.unwrap();
}

async fn count(db: &Db, table: &str) -> i64 {
    let statement = Statement::from_string(db.backend(), format!("SELECT COUNT(*) FROM {table}"));
    db.conn().query_one_raw(statement).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

/// Moves money until it is stopped, and returns how often.
fn keep_granting(db: &Db) -> (Arc<AtomicBool>, JoinHandle<usize>) {
    let (db, stop) = (db.clone(), Arc::new(AtomicBool::new(false)));
    let stopped = stop.clone();
    let writing = tokio::spawn(async move {
        let mut grants = 0;
        while !stopped.load(Ordering::Relaxed) {
            grants += 1;
            grant(&db, BEFORE + grants).await;
        }
        grants
    });
    (stop, writing)
}

/// Backs up while money moves, restores, and compares.
async fn back_up_and_restore(db: &Db, back_up: impl AsyncFnOnce(), restore: impl AsyncFnOnce() -> Db) {
    for number in 0..BEFORE {
        grant(db, number).await;
    }
    let (stop, writing) = keep_granting(db);
    back_up().await;
    stop.store(true, Ordering::Relaxed);
    let during = writing.await.unwrap();
    assert!(during > 0, "money moved during the backup");

    let restored = restore().await;
    migration::check(restored.conn()).await.unwrap();
    assert_eq!(ledger::verify(&restored).await.unwrap().defects, Vec::<String>::new());
    // Each account has three transactions: free scans, in both modes or one, and the grant.
    let transactions = count(&restored, "ledger_transactions").await;
    let (before, after) = (count(db, "ledger_transactions").await, count(&restored, "accounts").await);
    assert!(after >= BEFORE as i64, "{after} accounts");
    assert!(transactions <= before && transactions > 0, "{transactions} of {before}");
    // The restored database works, and its triggers protect the ledger.
    grant(&restored, 10_000).await;
    let changed = restored.conn().execute_unprepared("UPDATE ledger_transactions SET amount_cents = 1").await;
    assert!(changed.is_err(), "the ledger is append-only");
    assert_eq!(ledger::verify(&restored).await.unwrap().defects, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_is_backed_up_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("scan.db"), folder.path().join("backup/scan.db"));
    std::fs::create_dir(folder.path().join("backup")).unwrap();
    let db = Db::connect(&Settings::at(format!("sqlite://{}", file.display()))).await.unwrap();
    migration::migrate(db.conn()).await.unwrap();
    let back_up = async || {
        let output = Command::new(harness::binary("scan").unwrap())
            .args(["admin", "backup"])
            .arg(&copy)
            .env("SCAN__DATABASE__URL", format!("sqlite://{}", file.display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let restore = async || {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only its owner can read it");
        // To restore, put the file in the place of the database.
        Db::connect(&Settings::at(format!("sqlite://{}", copy.display()))).await.unwrap()
    };
    back_up_and_restore(&db, back_up, restore).await;
    let again = Command::new(harness::binary("scan").unwrap())
        .args(["admin", "backup"])
        .arg(&copy)
        .env("SCAN__DATABASE__URL", format!("sqlite://{}", file.display()))
        .output()
        .unwrap();
    assert!(!again.status.success(), "an existing file is never overwritten");
}

/// Runs a program of PostgreSQL.
fn run(bin: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(bin.join(program)).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_backed_up_while_it_is_written() {
    let bin = temporary_postgres::installed().expect("PostgreSQL is installed");
    let folder = tempfile::tempdir().unwrap();
    let server = Postgres::start(folder.path(), None, Durability::None).unwrap();
    let database = testing::TestDatabase::on_server(server.url().to_owned()).await;
    let url = database.settings().url.reveal().to_owned();
    let dump = folder.path().join("scan.dump").display().to_string();
    let back_up = async || {
        run(&bin, "pg_dump", &["--format=custom", "--no-owner", &format!("--file={dump}"), &url]);
    };
    let restore = async || {
        let created = database.db().conn().execute_unprepared("CREATE DATABASE restored").await;
        created.unwrap();
        let (server, _name) = url.rsplit_once('/').unwrap();
        let restored = format!("{server}/restored");
        let to = format!("--dbname={restored}");
        run(&bin, "pg_restore", &["--no-owner", "--exit-on-error", "--single-transaction", &to, &dump]);
        Db::connect(&Settings::at(restored)).await.unwrap()
    };
    back_up_and_restore(database.db(), back_up, restore).await;
}
