//! Webhook endpoints, deliveries and delivery attempts.

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
CREATE TABLE webhook_endpoints (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret_ciphertext TEXT NOT NULL,
    previous_secret_ciphertext TEXT,
    previous_secret_expires_at BIGINT,
    enabled BOOLEAN NOT NULL,
    disabled_reason TEXT,
    consecutive_failures BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT
);
CREATE INDEX webhook_endpoints_list ON webhook_endpoints (account_id, livemode, created_at DESC, id DESC);

CREATE TABLE webhook_deliveries (
    event_id TEXT NOT NULL REFERENCES events (id),
    endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    last_status BIGINT,
    last_error TEXT,
    last_response TEXT,
    next_attempt_at BIGINT,
    disabled_endpoint BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (endpoint_id, created_at DESC, event_id DESC);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (created_at) WHERE status = 'pending';

CREATE TABLE webhook_attempts (
    event_id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    at BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    duration_ms BIGINT NOT NULL,
    PRIMARY KEY (event_id, endpoint_id, attempt),
    FOREIGN KEY (event_id, endpoint_id) REFERENCES webhook_deliveries (event_id, endpoint_id)
);
";
