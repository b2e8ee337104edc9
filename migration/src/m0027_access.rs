//! Reference of a scan to the object that holds its transcript.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// Scans from before the migration keep their transcript in `input`.
const UP: &str = r"
ALTER TABLE scans ADD COLUMN transcript_of TEXT;
";
