//! Links that show one document to anybody who has them.

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
CREATE TABLE shares (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    space_id TEXT NOT NULL REFERENCES spaces (id),
    scan_id TEXT NOT NULL REFERENCES scans (id),
    secret_hash TEXT NOT NULL UNIQUE,
    shows_credentials BOOLEAN NOT NULL,
    shows_persons BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX shares_list ON shares (space_id, created_at DESC, id DESC);
CREATE INDEX shares_by_account ON shares (account_id);
CREATE INDEX shares_by_end ON shares (expires_at);
";
