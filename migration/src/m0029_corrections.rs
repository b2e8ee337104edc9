//! Corrections of documents by their owner.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

const UP: &str = r"
CREATE TABLE corrections (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    space_id TEXT NOT NULL REFERENCES spaces (id),
    scan_id TEXT NOT NULL REFERENCES scans (id),
    target_id TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT,
    carried_from TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (scan_id, target_id, field)
);
CREATE INDEX corrections_list ON corrections (space_id, created_at DESC, id DESC);
CREATE INDEX corrections_by_account ON corrections (account_id);
";
