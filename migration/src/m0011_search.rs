//! Search: entries that results show, terms for ranking, and the deletion neighbourhood for
//! spelling correction.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Ranking reads one term of thousands of spaces, so the key covers the query.
        let (clustered, covering) = match manager.get_database_backend() {
            DbBackend::Sqlite => (" WITHOUT ROWID", ""),
            _ => ("", " INCLUDE (impact)"),
        };
        crate::run(manager, &UP.replace("{CLUSTERED}", clustered).replace("{COVERING}", covering)).await
    }
}

const UP: &str = r"
CREATE TABLE search_entries (
    space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    entry BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    scan_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    source_id TEXT NOT NULL,
    zone_id TEXT,
    body TEXT NOT NULL,
    frame_id TEXT,
    t_ms BIGINT,
    ordinal BIGINT,
    PRIMARY KEY (space_id, entry)
);

CREATE TABLE search_terms (
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    term TEXT NOT NULL,
    space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    impact BIGINT NOT NULL,
    entries TEXT NOT NULL,
    PRIMARY KEY (account_id, livemode, term, space_id){COVERING}
){CLUSTERED};
CREATE INDEX search_terms_by_space ON search_terms (space_id, account_id, livemode);

CREATE TABLE search_spellings (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    livemode BOOLEAN NOT NULL,
    term TEXT NOT NULL,
    spelling TEXT NOT NULL,
    PRIMARY KEY (account_id, livemode, term, spelling)
){CLUSTERED};
CREATE INDEX search_spellings_by_spelling ON search_spellings (account_id, livemode, spelling);
";
