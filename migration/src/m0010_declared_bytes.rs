//! Declared size of a scan in bytes, so that a tenant's uploads can be summed without reading every
//! input.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// Existing scans count as 0 bytes: they are started or cancelled within 24 hours.
const UP: &str = r"
ALTER TABLE scans ADD COLUMN declared_bytes BIGINT NOT NULL DEFAULT 0;
";
