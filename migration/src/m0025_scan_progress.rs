//! Time of a scan's last progress. A charged scan without progress for too long is refunded.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let now = match manager.get_database_backend() {
            DbBackend::Sqlite => "CAST(strftime('%s', 'now') AS BIGINT) * 1000",
            _ => "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)",
        };
        crate::run(manager, &UP.replace("{NOW}", now)).await
    }
}

// The time before the migration is unknown. Only scans in progress need a value, and they are few.
const UP: &str = r"
ALTER TABLE scans ADD COLUMN progressed_at BIGINT;
UPDATE scans SET progressed_at = {NOW} WHERE status IN ('queued', 'processing');
";
