//! What operators watch: the trace that wrote an outbox entry, indexes for the oldest entry of a kind,
//! and the results of periodic checks.

use sea_orm_migration::prelude::*;

use crate::online::{IndexDefinition, create_indexes, index};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, CHECKS).await?;
        if !manager.has_column("outbox", "traceparent").await? {
            crate::run(manager, "ALTER TABLE outbox ADD COLUMN traceparent TEXT").await?;
        }
        create_indexes(manager, &INDEXES).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

const CHECKS: &str = r"
CREATE TABLE IF NOT EXISTS checks (
    name TEXT NOT NULL PRIMARY KEY,
    mismatches BIGINT NOT NULL,
    checked_at BIGINT NOT NULL
);
";

const INDEXES: [IndexDefinition<'_>; 2] = [
    index("outbox_oldest", "outbox (kind, created_at) WHERE done_at IS NULL AND parked_at IS NULL"),
    index("outbox_parked", "outbox (kind) WHERE done_at IS NULL AND parked_at IS NOT NULL"),
];
