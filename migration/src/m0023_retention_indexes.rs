//! Indexes that find the rows and the media whose retention has ended.

use sea_orm_migration::prelude::*;

use crate::online::{IndexDefinition, create_indexes, index};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_indexes(manager, &INDEXES).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

const INDEXES: [IndexDefinition<'_>; 10] = [
    // Allows one retry of each scan, apart from retries that failed or were cancelled.
    IndexDefinition {
        unique: true,
        ..index(
            "scans_one_retry",
            "scans (retry_of) WHERE retry_of IS NOT NULL \
             AND status IN ('awaiting_upload', 'queued', 'processing', 'complete')",
        )
    },
    index("scans_by_retry", "scans (retry_of) WHERE retry_of IS NOT NULL"),
    index(
        "scans_media",
        "scans (status, finished_at) WHERE finished_at IS NOT NULL AND media_deleted_at IS NULL",
    ),
    index("events_by_age", "events (created_at)"),
    index("webhook_attempts_by_age", "webhook_attempts (at)"),
    index("webhook_deliveries_ended", "webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL"),
    index("webhook_endpoints_deleted", "webhook_endpoints (deleted_at) WHERE deleted_at IS NOT NULL"),
    index("account_exports_ended", "account_exports (expires_at) WHERE expires_at IS NOT NULL"),
    index("bank_reports_by_age", "bank_reports (created_at)"),
    index("audit_log_by_age", "audit_log (at)"),
];
