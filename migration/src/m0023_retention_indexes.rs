//! Indexes that find the rows and the media whose retention has ended.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// The unique index allows one retry of each scan, apart from retries that failed or were cancelled.
const UP: &str = r"
CREATE UNIQUE INDEX scans_one_retry ON scans (retry_of)
    WHERE retry_of IS NOT NULL AND status IN ('awaiting_upload', 'queued', 'processing', 'complete');
CREATE INDEX scans_by_retry ON scans (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX scans_media ON scans (status, finished_at)
    WHERE finished_at IS NOT NULL AND media_deleted_at IS NULL;
CREATE INDEX events_by_age ON events (created_at);
CREATE INDEX webhook_attempts_by_age ON webhook_attempts (at);
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX account_exports_ended ON account_exports (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX bank_reports_by_age ON bank_reports (created_at);
CREATE INDEX audit_log_by_age ON audit_log (at);
";
