//! Migrations of a busy PostgreSQL database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use domain::mode::Tenant;
use entities::{
    Db, Reader, Settings,
    testing::{self, TestDatabase},
};
use migration::{RunOptions, run_migrations};
use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DbBackend, Statement, TransactionTrait},
};
use tokio::task::JoinSet;

use crate::steps::{ADD_INDEX, WithNote};

const OPTIONS: RunOptions =
    RunOptions { lock_timeout: Duration::from_millis(500), give_up_after: Duration::from_secs(300) };
/// Duration of a transaction that holds a lock which the migration needs.
const LONG_TRANSACTION: Duration = Duration::from_secs(8);
/// Maximum time of one statement of the load: the lock time-out, and time for a busy machine.
const MAX_STATEMENT: Duration = Duration::from_secs(3);
/// Maximum time until a session is in an expected state.
const STATE_TIMEOUT: Duration = Duration::from_secs(60);

const ALL: [&str; 3] = ["m9001_note", "m9002_note_index", "m9003_note_backfill"];

async fn connect(settings: &Settings) -> Db {
    Db::connect(settings).await.unwrap()
}

/// Returns the only value of the first row, as text.
async fn text(db: &Db, query: &str) -> Option<String> {
    let statement = Statement::from_string(DbBackend::Postgres, format!("SELECT ({query})::text"));
    db.conn().query_one_raw(statement).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

/// Waits until the query returns a value, and returns it.
async fn until(db: &Db, query: &str) -> String {
    let started = Instant::now();
    loop {
        if let Some(found) = text(db, query).await {
            return found;
        }
        assert!(started.elapsed() < STATE_TIMEOUT, "waited for {query}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Readers and writers of the table `spaces`.
struct Load {
    stop: Arc<AtomicBool>,
    longest_micros: Arc<AtomicU64>,
    tasks: JoinSet<u64>,
}

impl Load {
    fn start(db: &Db, tenant: &Tenant) -> Self {
        let mut load = Self { stop: Arc::default(), longest_micros: Arc::default(), tasks: JoinSet::new() };
        for _ in 0..2 {
            let (db, tenant) = (db.clone(), tenant.clone());
            load.spawn(move || {
                let (db, tenant) = (db.clone(), tenant.clone());
                async move { drop(testing::space(&db, &tenant).await) }
            });
        }
        for statement in [
            "SELECT count(*) FROM (SELECT * FROM spaces ORDER BY id LIMIT 50) AS page",
            "UPDATE spaces SET description = 'changed' WHERE id = (SELECT max(id) FROM spaces)",
        ] {
            let db = db.clone();
            load.spawn(move || {
                let db = db.clone();
                async move {
                    db.conn().execute_unprepared(statement).await.unwrap();
                }
            });
        }
        load
    }

    /// Repeats an action, measures each time, and counts.
    fn spawn<F>(&mut self, mut action: impl FnMut() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send,
    {
        let (stop, longest) = (self.stop.clone(), self.longest_micros.clone());
        self.tasks.spawn(async move {
            let mut count = 0;
            while !stop.load(Ordering::Relaxed) {
                let started = Instant::now();
                action().await;
                longest.fetch_max(started.elapsed().as_micros() as u64, Ordering::Relaxed);
                count += 1;
            }
            count
        });
    }

    /// Stops, and returns the number of actions and the longest one.
    async fn finish(self) -> (u64, Duration) {
        self.stop.store(true, Ordering::Relaxed);
        let count = self.tasks.join_all().await.into_iter().sum();
        (count, Duration::from_micros(self.longest_micros.load(Ordering::Relaxed)))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_statement_waits_longer_than_the_lock_timeout_while_migrations_run() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let (db, settings) = (database.db(), database.settings());
    let tenant = testing::account(db).await;
    let fill = format!(
        "INSERT INTO spaces (id, account_id, livemode, source, name, space_type, created_at, updated_at) \
         SELECT 'spc_fill' || i, account_id, livemode, source, name, space_type, created_at, updated_at \
         FROM spaces, generate_series(1, 100000) AS i WHERE id = '{}'",
        testing::space(db, &tenant).await.id.0
    );
    db.conn().execute_unprepared(&fill).await.unwrap();

    let load = Load::start(db, &tenant);
    let report = connect(settings).await;
    let report_db = report.clone();
    let reading = tokio::spawn(async move {
        let txn = report_db.conn().begin().await.unwrap();
        txn.execute_unprepared("SELECT 1 FROM spaces LIMIT 1").await.unwrap();
        let sleep = format!("SELECT pg_sleep({})", LONG_TRANSACTION.as_secs());
        txn.execute_unprepared(&sleep).await.unwrap();
        txn.commit().await.unwrap();
    });
    let sleeping = "SELECT min(pid) FROM pg_stat_activity \
                    WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(%'";
    until(db, sleeping).await;
    let migrating = connect(settings).await;
    let applied = run_migrations::<WithNote>(migrating.conn(), &OPTIONS).await.unwrap();
    assert!(reading.is_finished(), "the migration waits for the long transaction");
    let (count, longest) = load.finish().await;
    eprintln!("{count} actions; the longest took {longest:?}");

    assert_eq!(applied, ALL);
    assert!(count > 100, "only {count} actions");
    assert!(longest < MAX_STATEMENT, "an action took {longest:?}");
    let missing = "SELECT count(*) FROM spaces WHERE id LIKE 'spc_fill%' AND upgrade_note IS NULL";
    assert_eq!(text(db, missing).await.unwrap(), "0");
    for other in [report, migrating] {
        other.close().await.unwrap();
    }
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_migration_continues_at_the_next_run() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let db = database.db();
    // The index waits for this transaction, because it began before.
    let old = db.conn().begin().await.unwrap();
    old.execute_unprepared("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ").await.unwrap();
    old.execute_unprepared("SELECT 1 FROM accounts LIMIT 1").await.unwrap();

    let settings = database.settings().clone();
    let migrating = tokio::spawn(async move {
        let db = connect(&settings).await;
        let outcome = run_migrations::<WithNote>(db.conn(), &OPTIONS).await;
        db.close().await.unwrap();
        outcome
    });
    let waiting = "SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'scan-migrate' \
                   AND datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' \
                   AND wait_event_type = 'Lock'";
    let pid = until(db, waiting).await;
    text(db, &format!("SELECT pg_terminate_backend({pid})")).await;
    migrating.await.unwrap().unwrap_err();
    old.rollback().await.unwrap();

    let state = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('spaces_by_note')";
    assert_eq!(text(db, state).await.as_deref(), Some("false"), "an incomplete index is left");
    let applied = run_migrations::<WithNote>(db.conn(), &OPTIONS).await.unwrap();
    assert_eq!(applied, ALL[1..], "the first migration is not repeated");
    assert_eq!(text(db, state).await.as_deref(), Some("true"));
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_processes_one_migrates() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let mut processes = JoinSet::new();
    for _ in 0..4 {
        let settings = database.settings().clone();
        processes.spawn(async move {
            let db = connect(&settings).await;
            let applied = run_migrations::<WithNote>(db.conn(), &OPTIONS).await.unwrap();
            db.close().await.unwrap();
            applied
        });
    }
    let mut applied = processes.join_all().await.concat();
    applied.sort();
    assert_eq!(applied, ALL);
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_never_gets_its_lock_gives_up_and_changes_nothing() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let db = database.db();
    let holder = db.conn().begin().await.unwrap();
    holder.execute_unprepared("LOCK TABLE spaces IN ACCESS SHARE MODE").await.unwrap();
    let options = RunOptions { lock_timeout: Duration::from_millis(100), give_up_after: Duration::ZERO };
    let refused = run_migrations::<WithNote>(db.conn(), &options).await.unwrap_err().to_string();
    assert!(refused.contains("m9001_note did not get its locks"), "{refused}");
    holder.rollback().await.unwrap();
    assert_eq!(run_migrations::<WithNote>(db.conn(), &options).await.unwrap(), ALL);
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unique_index_reports_equal_rows_and_succeeds_once_they_are_gone() {
    struct Unique;
    #[async_trait::async_trait]
    impl MigratorTrait for Unique {
        fn migrations() -> Vec<Box<dyn MigrationTrait>> {
            let definition =
                migration::online::IndexDefinition { unique: true, on: "spaces (name)", ..ADD_INDEX.1 };
            crate::steps::released_and(vec![Box::new(crate::steps::AddIndex("m9002_unique", definition))])
        }
    }
    let Some(database) = TestDatabase::postgres().await else { return };
    let db = database.db();
    let tenant = testing::account(db).await;
    for _ in 0..2 {
        testing::space(db, &tenant).await;
    }
    run_migrations::<Unique>(db.conn(), &OPTIONS).await.unwrap_err();
    db.conn().execute_unprepared("UPDATE spaces SET name = id").await.unwrap();
    assert_eq!(run_migrations::<Unique>(db.conn(), &OPTIONS).await.unwrap(), ["m9002_unique"]);
    let valid =
        "SELECT indisvalid AND indisunique FROM pg_index WHERE indexrelid = to_regclass('spaces_by_note')";
    assert_eq!(text(db, valid).await.as_deref(), Some("true"));
    database.drop_database().await;
}
