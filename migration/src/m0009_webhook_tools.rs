//! Webhook endpoints: descriptions, idempotent creation and replays of deliveries.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// Attempts are counted over all rounds of a delivery; `attempts_before` is the count at the
// beginning of the current round.
const UP: &str = r"
ALTER TABLE webhook_endpoints ADD COLUMN description TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN idempotency_key TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN request_hash TEXT;
CREATE UNIQUE INDEX webhook_endpoints_once_by_key ON webhook_endpoints (account_id, livemode, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
ALTER TABLE webhook_deliveries ADD COLUMN round BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_deliveries ADD COLUMN attempts_before BIGINT NOT NULL DEFAULT 0;
";
