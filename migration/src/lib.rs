//! Migrations of the database schema, one file each. The same migrations run on SQLite and
//! PostgreSQL, also while the service runs (`docs/upgrades.md`, ADR 15).
//!
//! Migrations are plain SQL that both databases understand. Differences (auto-increment keys, the
//! triggers that protect the ledger) are handled in the migration that needs them. File names are
//! stored in the migrations table and must not change, and a released migration is never edited.
//!
//! # Rules
//!
//! - **Expand.** A migration adds tables, nullable columns, columns with a constant default, and
//!   indexes. The previous release keeps running on the expanded schema.
//! - **One busy table a migration.** A migration holds its locks until it commits.
//! - **Indexes** of existing tables are created by [`online::create_index`], in a migration of their
//!   own that does not use a transaction.
//! - **Backfills** run after the switch, when every running program writes the new shape: in the
//!   next release, by [`online::in_batches`], in a migration that does not use a transaction.
//! - **Contract.** A migration that removes or tightens anything calls [`online::require`] with the
//!   migration of the release that stopped using it.

mod compatibility;
mod m0001_accounts;
mod m0002_spaces_scans;
mod m0003_ledger;
mod m0004_documents_events;
mod m0005_webhooks;
mod m0006_outbox_audit;
mod m0007_sessions;
mod m0008_payments;
mod m0009_webhook_tools;
mod m0010_declared_bytes;
mod m0011_search;
mod m0012_user_tokens;
mod m0013_given_back;
mod m0014_erasure;
mod m0015_exports;
mod m0017_search_vectors;
mod m0018_search_frequencies;
mod m0019_search_sketches;
mod m0020_outbox_parking;
mod m0021_waiting;
mod m0022_retries;
mod m0023_retention_indexes;
mod m0024_lookup_indexes;
mod m0025_scan_progress;
mod m0026_schema_requirements;
mod m0027_access;
mod m0028_bounds;
mod m0029_corrections;
mod m0030_shares;
mod m0031_monitoring;
pub mod online;
mod runner;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend},
};

pub use compatibility::{SchemaError, check as check_schema};
pub use runner::{RunOptions, run as run_migrations};

/// All migrations, in order.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_accounts::Migration),
            Box::new(m0002_spaces_scans::Migration),
            Box::new(m0003_ledger::Migration),
            Box::new(m0004_documents_events::Migration),
            Box::new(m0005_webhooks::Migration),
            Box::new(m0006_outbox_audit::Migration),
            Box::new(m0007_sessions::Migration),
            Box::new(m0008_payments::Migration),
            Box::new(m0009_webhook_tools::Migration),
            Box::new(m0010_declared_bytes::Migration),
            Box::new(m0011_search::Migration),
            Box::new(m0012_user_tokens::Migration),
            Box::new(m0013_given_back::Migration),
            Box::new(m0014_erasure::Migration),
            Box::new(m0015_exports::Migration),
            Box::new(m0017_search_vectors::Migration),
            Box::new(m0018_search_frequencies::Migration),
            Box::new(m0019_search_sketches::Migration),
            Box::new(m0020_outbox_parking::Migration),
            Box::new(m0021_waiting::Migration),
            Box::new(m0022_retries::Migration),
            Box::new(m0023_retention_indexes::Migration),
            Box::new(m0024_lookup_indexes::Migration),
            Box::new(m0025_scan_progress::Migration),
            Box::new(m0026_schema_requirements::Migration),
            Box::new(m0027_access::Migration),
            Box::new(m0028_bounds::Migration),
            Box::new(m0029_corrections::Migration),
            Box::new(m0030_shares::Migration),
            Box::new(m0031_monitoring::Migration),
        ]
    }
}

/// Applies all pending migrations, with the default options, and returns their names.
///
/// Safe to call at every start and from several processes: one applies the migrations, and the
/// others wait for it.
///
/// # Errors
/// Returns an error if a migration fails. The ones before it stay applied on PostgreSQL; on SQLite,
/// nothing has changed.
pub async fn migrate(db: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    runner::run::<Migrator>(db, &RunOptions::default()).await
}

/// Checks that this program can use the schema: see [`check_schema`].
///
/// # Errors
/// Returns an error if the schema is older or too new, or the database fails.
pub async fn check(db: &DatabaseConnection) -> Result<Vec<String>, SchemaError> {
    check_schema::<Migrator>(db).await
}

/// Runs the statements of one migration. `{AUTO_ID}` becomes an auto-increment primary key that
/// never reuses a number.
async fn run(manager: &SchemaManager<'_>, statements: &str) -> Result<(), DbErr> {
    let auto_id = match manager.get_database_backend() {
        DbBackend::Sqlite => "INTEGER PRIMARY KEY AUTOINCREMENT",
        _ => "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    };
    manager.get_connection().execute_unprepared(&statements.replace("{AUTO_ID}", auto_id)).await?;
    Ok(())
}
