//! Times at which accounts were closed and erased.

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
ALTER TABLE accounts ADD COLUMN closed_at BIGINT;
ALTER TABLE accounts ADD COLUMN erased_at BIGINT;
CREATE INDEX scans_by_account ON scans (account_id, id);
";
