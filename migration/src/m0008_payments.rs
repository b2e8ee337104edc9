//! Payment methods and payments.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// The unique index allows one pending automatic top-up for each wallet.
const UP: &str = r"
CREATE TABLE payment_methods (
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    customer TEXT NOT NULL,
    method TEXT NOT NULL,
    brand TEXT NOT NULL,
    last4 TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, livemode),
    FOREIGN KEY (account_id, livemode) REFERENCES wallets (account_id, livemode)
);

CREATE TABLE payments (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('top_up', 'auto_recharge')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'declined', 'needs_action')),
    amount_cents BIGINT NOT NULL CHECK (amount_cents > 0),
    customer TEXT NOT NULL,
    method TEXT NOT NULL,
    idempotency_key TEXT,
    reference TEXT,
    reason TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    FOREIGN KEY (account_id, livemode) REFERENCES wallets (account_id, livemode)
);
CREATE UNIQUE INDEX payments_one_recharge ON payments (account_id, livemode)
    WHERE kind = 'auto_recharge' AND state = 'pending';
CREATE UNIQUE INDEX payments_once_by_key ON payments (account_id, livemode, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX payments_by_reference ON payments (livemode, reference) WHERE reference IS NOT NULL;
CREATE INDEX payments_list ON payments (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX payments_since ON payments (livemode, created_at);
";
