//! Tests that an erasure covers every table that leads to an account, by the schema of the database.

use std::collections::{BTreeMap, BTreeSet};

use entities::{
    Db, Reader,
    erasure::{self, Action, CLOSE, ERASE, KEPT, Step},
    testing::{self, NOON, on_each_database},
};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::query_plan::assert_indexed;

/// Columns whose values belong to one account, whether they have a foreign key or not.
const OWNER_COLUMNS: [&str; 9] = [
    "account_id",
    "user_id",
    "key_id",
    "space_id",
    "scan_id",
    "event_id",
    "endpoint_id",
    "payment_id",
    "transaction_id",
];

/// Returns the values of the first two columns of a query.
async fn pairs(db: &Db, sql: &str) -> Vec<(String, String)> {
    let rows = db.conn().query_all_raw(Statement::from_string(db.backend(), sql)).await.unwrap();
    rows.iter().map(|row| (row.try_get_by_index(0).unwrap(), row.try_get_by_index(1).unwrap())).collect()
}

/// Returns each table with its columns.
async fn columns(db: &Db) -> BTreeMap<String, BTreeSet<String>> {
    let sql = match db.backend() {
        DbBackend::Sqlite => {
            "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"
        }
        _ => {
            "SELECT table_name::text, column_name::text FROM information_schema.columns \
             WHERE table_schema = 'public'"
        }
    };
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (table, column) in pairs(db, sql).await {
        tables.entry(table).or_default().insert(column);
    }
    tables
}

/// Returns the foreign keys as pairs of the referring and the referenced table.
async fn references(db: &Db) -> Vec<(String, String)> {
    let sql = match db.backend() {
        DbBackend::Sqlite => {
            "SELECT t.name, f.\"table\" FROM sqlite_master AS t, pragma_foreign_key_list(t.name) AS f \
             WHERE t.type = 'table'"
        }
        _ => {
            "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'"
        }
    };
    pairs(db, sql).await
}

/// Returns the tables from which foreign keys lead to `accounts`, and those with an owner's id.
async fn tables_of_accounts(db: &Db) -> BTreeSet<String> {
    let (columns, references) = (columns(db).await, references(db).await);
    let mut found: BTreeSet<String> = BTreeSet::from(["accounts".to_owned()]);
    let has_owner = |columns: &BTreeSet<String>| OWNER_COLUMNS.iter().any(|name| columns.contains(*name));
    found.extend(columns.iter().filter(|(_, columns)| has_owner(columns)).map(|(table, _)| table.clone()));
    loop {
        let before = found.len();
        for (from, to) in &references {
            if found.contains(to) {
                found.insert(from.clone());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn steps() -> impl Iterator<Item = Step> {
    CLOSE.into_iter().chain(ERASE)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_that_leads_to_an_account_is_erased_or_kept_for_a_reason() {
    on_each_database(async |db| {
        let found = tables_of_accounts(&db).await;
        assert!(found.len() > 20, "the schema was read: {found:?}");
        let covered: BTreeSet<&str> =
            steps().map(|step| step.table).chain(KEPT.map(|(table, _)| table)).collect();
        let forgotten: Vec<_> = found.iter().filter(|table| !covered.contains(table.as_str())).collect();
        assert_eq!(forgotten, Vec::<&String>::new(), "add them to `erasure::ERASE` or `erasure::KEPT`");
        for (table, reason) in KEPT {
            assert!(found.contains(table), "{table} does not lead to an account");
            assert!(!reason.is_empty() && steps().all(|step| step.table != table), "{table}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_step_is_served_by_an_index() {
    on_each_database(async |db| {
        for Step { table, rows, action } in steps() {
            let sql = match action {
                Action::Delete => format!("DELETE FROM {table} WHERE {rows}"),
                Action::Overwrite(columns) => format!("UPDATE {table} SET {columns} WHERE {rows}"),
            };
            assert_indexed(&db, &sql.replace("$1", "'acc_a'")).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_codes_of_a_closed_account_are_erased() {
    on_each_database(async |db| {
        let (closed, open) = (testing::account(&db).await, testing::account(&db).await);
        for tenant in [&closed, &open] {
            let space = testing::space(&db, tenant).await;
            let insert = Statement::from_sql_and_values(
                db.backend(),
                "INSERT INTO search_sketches (account_id, livemode, model, dimensions, space_id, sketches) \
                 VALUES ($1, FALSE, 'm', 8, $2, $3)",
                [tenant.account_id.as_str().into(), space.id.as_str().into(), vec![7_u8].into()],
            );
            db.conn().execute_raw(insert).await.unwrap();
        }
        let account = &closed.account_id;
        let erased: entities::Result<bool> = db
            .write(async |txn| {
                erasure::close(&txn, account, NOON).await?;
                erasure::erase(&txn, account, NOON).await
            })
            .await;
        assert!(erased.unwrap());
        let left = pairs(&db, "SELECT account_id, model FROM search_sketches").await;
        assert_eq!(left, [(open.account_id.to_string(), "m".to_owned())]);
        // No deleted table has a row of the account. The erasure itself is in the audit log.
        for Step { table, rows, .. } in steps().filter(|step| step.action == Action::Delete) {
            let sql = format!("SELECT '{table}', CAST(COUNT(*) AS TEXT) FROM {table} WHERE {rows}");
            let count = pairs(&db, &sql.replace("$1", &format!("'{account}'"))).await;
            let expected = if table == "audit_log" { "1" } else { "0" };
            assert_eq!(count[0].1, expected, "{table}");
        }
    })
    .await;
}
