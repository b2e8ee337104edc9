//! Steps of migrations that run while the service reads and writes the tables.
//!
//! [`create_index`], [`drop_index`] and [`in_batches`] need a migration that returns `Some(false)` from
//! `use_transaction`. Such a migration runs again from its start if it was interrupted, so each of
//! its steps must be repeatable, as these are.

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DbBackend, Statement, Value},
};

/// An index of an existing table.
#[derive(Debug, Clone, Copy)]
pub struct IndexDefinition<'a> {
    /// Name of the index.
    pub name: &'a str,
    /// Table, columns and condition: `scans (account_id, id) WHERE ended_at IS NULL`.
    pub on: &'a str,
    /// Whether the index refuses equal rows.
    pub unique: bool,
}

/// Defines an index that may have equal rows.
pub const fn index<'a>(name: &'a str, on: &'a str) -> IndexDefinition<'a> {
    IndexDefinition { name, on, unique: false }
}

/// Creates the indexes one after the other, as [`create_index`] does.
///
/// # Errors
/// Returns an error if the database fails, or if a unique index finds equal rows.
pub async fn create_indexes(
    manager: &SchemaManager<'_>,
    indexes: &[IndexDefinition<'_>],
) -> Result<(), DbErr> {
    for index in indexes {
        create_index(manager, index).await?;
    }
    Ok(())
}

/// Creates an index, unless it exists.
///
/// On PostgreSQL, other sessions write to the table meanwhile (`CREATE INDEX CONCURRENTLY`), and an
/// invalid index that an interrupted migration left is created again. The step waits for
/// transactions that began before it, and delays nobody while it waits.
///
/// # Errors
/// Returns an error if the database fails, or if a unique index finds equal rows.
pub async fn create_index(manager: &SchemaManager<'_>, index: &IndexDefinition<'_>) -> Result<(), DbErr> {
    let IndexDefinition { name, on, unique } = index;
    let unique = if *unique { "UNIQUE " } else { "" };
    if manager.get_database_backend() == DbBackend::Sqlite {
        let create = format!("CREATE {unique}INDEX IF NOT EXISTS {name} ON {on}");
        manager.get_connection().execute_unprepared(&create).await?;
        return Ok(());
    }
    if is_invalid(manager, name).await? {
        drop_index(manager, name).await?;
    }
    without_lock_timeout(manager, &format!("CREATE {unique}INDEX CONCURRENTLY IF NOT EXISTS {name} ON {on}"))
        .await
}

/// Drops an index, if it exists. On PostgreSQL, other sessions use the table meanwhile.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn drop_index(manager: &SchemaManager<'_>, name: &str) -> Result<(), DbErr> {
    if manager.get_database_backend() == DbBackend::Sqlite {
        let drop = format!("DROP INDEX IF EXISTS {name}");
        manager.get_connection().execute_unprepared(&drop).await?;
        return Ok(());
    }
    without_lock_timeout(manager, &format!("DROP INDEX CONCURRENTLY IF EXISTS {name}")).await
}

/// Runs a concurrent statement of PostgreSQL. The limit protects sessions that queue behind an
/// exclusive lock. These statements take none, and giving up would throw away the work done so far.
async fn without_lock_timeout(manager: &SchemaManager<'_>, statement: &str) -> Result<(), DbErr> {
    let db = manager.get_connection();
    db.execute_unprepared("SET lock_timeout = 0").await?;
    let done = db.execute_unprepared(statement).await;
    // Back to the limit with which the session was opened. After an error the session may be gone.
    let reset = db.execute_unprepared("RESET lock_timeout").await;
    done?;
    reset?;
    Ok(())
}

/// Returns whether an interrupted migration left this index incomplete.
async fn is_invalid(manager: &SchemaManager<'_>, name: &str) -> Result<bool, DbErr> {
    let query = Statement::from_sql_and_values(
        DbBackend::Postgres,
        "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
        [Value::from(name)],
    );
    Ok(manager.get_connection().query_one_raw(query).await?.is_some())
}

/// Repeats a statement that changes a limited number of rows until it changes none, and returns the
/// number of changed rows. Each execution is a transaction of its own on PostgreSQL, so it should
/// select only rows that it has not changed yet, about a thousand of them. Rows that programs add
/// meanwhile must not match, or it would never end:
///
/// ```sql
/// UPDATE scans SET note = '' WHERE id IN (SELECT id FROM scans WHERE note IS NULL LIMIT 1000)
/// ```
///
/// # Errors
/// Returns an error if the database fails. The batches before stay changed on PostgreSQL.
pub async fn in_batches(manager: &SchemaManager<'_>, statement: &str) -> Result<u64, DbErr> {
    let mut changed = 0;
    loop {
        let batch = manager.get_connection().execute_unprepared(statement).await?.rows_affected();
        if batch == 0 {
            return Ok(changed);
        }
        changed += batch;
    }
}

/// Records that programs must know the migration `name` to use the schema from now on.
///
/// A migration that contracts the schema names the migration of the release that stopped using the
/// old shape. Releases before that one then refuse to start, and later ones still can.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn require(manager: &SchemaManager<'_>, name: &str) -> Result<(), DbErr> {
    let insert = Statement::from_sql_and_values(
        manager.get_database_backend(),
        "INSERT INTO schema_requirements (migration) VALUES ($1) ON CONFLICT DO NOTHING",
        [Value::from(name)],
    );
    manager.get_connection().execute_raw(insert).await?;
    Ok(())
}
