//! Indexes for erasure, export and the list of open outbox entries. The index `outbox_due` has replaced
//! `outbox_pending`.

use sea_orm_migration::prelude::*;

use crate::online::{IndexDefinition, create_indexes, drop_index, index};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_indexes(manager, &INDEXES).await?;
        drop_index(manager, "outbox_pending").await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

const INDEXES: [IndexDefinition<'_>; 2] = [
    index("webhook_deliveries_by_account", "webhook_deliveries (account_id)"),
    index("outbox_open", "outbox (created_at, id) WHERE done_at IS NULL"),
];
