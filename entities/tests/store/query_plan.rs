//! Query plans, to check that an index serves a query.

use entities::{Db, Reader};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

/// Returns the plan of a statement on small tables as text. On PostgreSQL, which would read small
/// tables as a whole, sequential scans are only used without an alternative.
pub(crate) async fn plan(db: &Db, sql: &str) -> String {
    let (explain, column) = match db.backend() {
        DbBackend::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
        _ => ("EXPLAIN", "QUERY PLAN"),
    };
    let txn = db.begin_write().await.unwrap();
    if db.backend() == DbBackend::Postgres {
        txn.conn().execute_unprepared("SET LOCAL enable_seqscan = off").await.unwrap();
    }
    let statement = Statement::from_string(db.backend(), format!("{explain} {sql}"));
    let rows = txn.conn().query_all_raw(statement).await.unwrap();
    let lines: Vec<String> = rows.iter().map(|row| row.try_get("", column).unwrap()).collect();
    txn.rollback().await.unwrap();
    lines.join("\n")
}

/// Asserts that a statement reads no table as a whole.
pub(crate) async fn assert_indexed(db: &Db, sql: &str) {
    let plan = plan(db, sql).await;
    let is_scan = |line: &str| {
        let line = line.trim_start();
        match db.backend() {
            // `SCAN t USING INDEX i` reads the whole index, in its order.
            DbBackend::Sqlite => line.starts_with("SCAN ") && !line.contains(" USING "),
            _ => line.contains("Seq Scan"),
        }
    };
    assert!(!plan.lines().any(is_scan), "{sql}\n{plan}");
}
