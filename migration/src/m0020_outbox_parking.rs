//! Parked outbox entries: consecutive failures, the last error, and the index of one kind's due
//! entries.

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
ALTER TABLE outbox ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN last_error TEXT;
ALTER TABLE outbox ADD COLUMN parked_at BIGINT;
CREATE INDEX outbox_due ON outbox (kind, next_attempt_at, id) WHERE done_at IS NULL AND parked_at IS NULL;
";
