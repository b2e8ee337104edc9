//! Tests of migrations: concurrent and repeated.

use entities::{Db, Reader, testing::databases};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread")]
async fn migrates_concurrently_and_repeatedly() {
    for database in databases().await {
        let mut processes = JoinSet::new();
        for _ in 0..4 {
            let settings = database.settings().clone();
            processes.spawn(async move {
                let db = Db::connect(&settings).await.unwrap();
                migration::migrate(db.conn()).await.unwrap();
                db.close().await.unwrap();
            });
        }
        while let Some(process) = processes.join_next().await {
            process.unwrap();
        }
        assert!(migration::check(database.db().conn()).await.unwrap().is_empty());
        database.drop_database().await;
    }
}

#[tokio::test]
async fn a_database_that_was_never_migrated_is_refused_and_stays_empty() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("deep/er/scan.db").display());
    let db = Db::connect(&entities::Settings::at(url)).await.unwrap();
    for _ in 0..2 {
        let refused = migration::check(db.conn()).await.unwrap_err();
        assert!(matches!(refused, migration::SchemaError::Behind(_)), "{refused}");
    }
    let applied = migration::migrate(db.conn()).await.unwrap();
    assert_eq!(applied.first().map(String::as_str), Some("m0001_accounts"));
    assert!(migration::check(db.conn()).await.unwrap().is_empty());
    db.close().await.unwrap();
}

#[tokio::test]
async fn sqlite_is_configured_for_durability_and_concurrent_reads() {
    use sea_orm::{ConnectionTrait, Statement};
    let database = entities::testing::TestDatabase::sqlite().await;
    let conn = database.db().conn();
    for (pragma, expected) in [("foreign_keys", "1"), ("synchronous", "2"), ("journal_mode", "wal")] {
        let statement = Statement::from_string(database.db().backend(), format!("PRAGMA {pragma}"));
        let row = conn.query_one_raw(statement).await.unwrap().unwrap();
        let value = row
            .try_get_by_index::<String>(0)
            .or_else(|_| row.try_get_by_index::<i64>(0).map(|number| number.to_string()));
        assert_eq!(value.unwrap(), expected, "{pragma}");
    }
}
