//! Refunds and disputes of payments, and reports of the daily bank reconciliation.

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
ALTER TABLE payments ADD COLUMN refunded_cents BIGINT NOT NULL DEFAULT 0 CHECK (refunded_cents >= 0);
ALTER TABLE payments ADD COLUMN dispute TEXT;

CREATE TABLE bank_reports (
    day TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    report TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (day, livemode)
);
";
