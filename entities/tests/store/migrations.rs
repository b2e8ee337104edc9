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
        assert!(migration::is_current(database.db().conn()).await.unwrap());
        database.drop_database().await;
    }
}

#[tokio::test]
async fn unmigrated_database_is_not_current() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("deep/er/scan.db").display());
    let db = Db::connect(&entities::Settings::at(url)).await.unwrap();
    assert!(!migration::is_current(db.conn()).await.unwrap());
    migration::migrate(db.conn()).await.unwrap();
    assert!(migration::is_current(db.conn()).await.unwrap());
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
