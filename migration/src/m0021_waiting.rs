//! The part of our infrastructure that a started scan waits for.

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
ALTER TABLE scans ADD COLUMN wait_cause TEXT;
ALTER TABLE scans ADD COLUMN wait_since BIGINT;
";
