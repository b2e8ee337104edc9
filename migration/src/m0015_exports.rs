//! Account exports: archives of all data of an account.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// The unique index allows one pending export for each account.
const UP: &str = r"
CREATE TABLE account_exports (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    state TEXT NOT NULL CHECK (state IN ('pending', 'ready', 'expired')),
    bytes BIGINT,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    expires_at BIGINT
);
CREATE UNIQUE INDEX account_exports_one_pending ON account_exports (account_id) WHERE state = 'pending';
CREATE INDEX account_exports_by_account ON account_exports (account_id);
";
