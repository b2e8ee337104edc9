//! What people do with webhook endpoints: describe them, make them once for an idempotency key, and ask for
//! deliveries again.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// The attempts of a delivery are counted through all its rounds; `attempts_before` says where the round of
// now begins.
const UP: &str = r"
ALTER TABLE webhook_endpoints ADD COLUMN description TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN idempotency_key TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN request_hash TEXT;
CREATE UNIQUE INDEX webhook_endpoints_once_by_key ON webhook_endpoints (account_id, livemode, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
ALTER TABLE webhook_deliveries ADD COLUMN round BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_deliveries ADD COLUMN attempts_before BIGINT NOT NULL DEFAULT 0;
";
