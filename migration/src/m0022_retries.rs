//! Records of which scan a scan retries, and of when the deletion of a scan's media was scheduled.

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
ALTER TABLE scans ADD COLUMN retry_of TEXT REFERENCES scans (id);
ALTER TABLE scans ADD COLUMN media_deleted_at BIGINT;
";
