//! Embedding vectors of spaces.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let bytes = match manager.get_database_backend() {
            DbBackend::Sqlite => "BLOB",
            _ => "BYTEA",
        };
        crate::run(manager, &UP.replace("{BYTES}", bytes)).await
    }
}

// One row for each space with all its passages, because a query reads all rows of a tenant.
const UP: &str = r"
CREATE TABLE search_vectors (
    space_id TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    model TEXT NOT NULL,
    dimensions BIGINT NOT NULL,
    vectors {BYTES} NOT NULL,
    entries TEXT NOT NULL
);
CREATE INDEX search_vectors_by_model ON search_vectors (account_id, livemode, model, dimensions, space_id);
";
