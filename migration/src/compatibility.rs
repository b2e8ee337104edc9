//! Tells whether a program can use a schema that an older or newer release has migrated.

use std::collections::BTreeSet;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement},
};

/// Table in which the library records applied migrations.
const APPLIED: (&str, &str) = ("seaql_migrations", "version");
/// Table of the migrations that a program must know.
const REQUIRED: (&str, &str) = ("schema_requirements", "migration");

/// Reason why a program cannot use the schema.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The program needs migrations that are not applied.
    #[error("the database schema is older than this program; run `scan migrate` (pending: {})", .0.join(", "))]
    Behind(Vec<String>),
    /// A newer release removed something that this program uses.
    #[error(
        "the database schema is too new for this program; run a release that knows the migrations {}",
        .0.join(", ")
    )]
    TooNew(Vec<String>),
    /// The database failed.
    #[error("cannot read the schema version: {0}")]
    Database(#[from] DbErr),
}

/// The migrations of a database, compared with those of a program.
pub(crate) struct Comparison {
    /// Names that the program knows and the database lacks, in order.
    pub(crate) pending: Vec<String>,
    /// Names that the database has and the program does not know.
    pub(crate) unknown: Vec<String>,
}

impl Comparison {
    /// Reads the migrations of the database. Writes nothing, also if it was never migrated.
    pub(crate) async fn read<M: MigratorTrait>(db: &impl ConnectionTrait) -> Result<Self, DbErr> {
        let applied = names(db, APPLIED).await?;
        let known = known::<M>();
        Ok(Self {
            unknown: applied.iter().filter(|name| !known.contains(name)).cloned().collect(),
            pending: known.into_iter().filter(|name| !applied.contains(name)).collect(),
        })
    }
}

/// Checks that a program with the migrations of `M` can use the schema, and returns the applied
/// migrations that it does not know. A newer schema is usable, unless it requires one of those.
///
/// # Errors
/// Returns an error if the schema is older or too new, or the database fails.
pub async fn check<M: MigratorTrait>(db: &DatabaseConnection) -> Result<Vec<String>, SchemaError> {
    let Comparison { pending, unknown } = Comparison::read::<M>(db).await?;
    if !pending.is_empty() {
        return Err(SchemaError::Behind(pending));
    }
    let mut missing = names(db, REQUIRED).await?;
    missing.retain(|name| unknown.contains(name));
    if missing.is_empty() { Ok(unknown) } else { Err(SchemaError::TooNew(missing.into_iter().collect())) }
}

/// Returns the names of a program's migrations, in order.
fn known<M: MigratorTrait>() -> Vec<String> {
    M::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}

/// Reads one column of names; an empty set if the table does not exist.
async fn names(db: &impl ConnectionTrait, (table, column): (&str, &str)) -> Result<BTreeSet<String>, DbErr> {
    let backend = db.get_database_backend();
    let exists = match backend {
        DbBackend::Sqlite => {
            format!("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{table}'")
        }
        _ => format!("SELECT 1 WHERE to_regclass('{table}') IS NOT NULL"),
    };
    if db.query_one_raw(Statement::from_string(backend, exists)).await?.is_none() {
        return Ok(BTreeSet::new());
    }
    let select = Statement::from_string(backend, format!("SELECT {column} FROM {table}"));
    db.query_all_raw(select).await?.iter().map(|row| row.try_get("", column)).collect()
}
