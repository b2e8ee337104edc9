//! Document frequency of terms. Without this table, ranking would count every row of a frequent
//! term.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let clustered = match manager.get_database_backend() {
            DbBackend::Sqlite => " WITHOUT ROWID",
            _ => "",
        };
        crate::run(manager, &UP.replace("{CLUSTERED}", clustered)).await
    }
}

const UP: &str = r"
CREATE TABLE search_frequencies (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    livemode BOOLEAN NOT NULL,
    term TEXT NOT NULL,
    spaces BIGINT NOT NULL,
    PRIMARY KEY (account_id, livemode, term)
){CLUSTERED};

INSERT INTO search_frequencies (account_id, livemode, term, spaces)
SELECT account_id, livemode, term, COUNT(*) FROM search_terms GROUP BY account_id, livemode, term;
";
