//! Indexes for erasure, export and the list of open outbox entries. The index
//! `outbox_due` has replaced `outbox_pending`.

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
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (account_id);
CREATE INDEX outbox_open ON outbox (created_at, id) WHERE done_at IS NULL;
DROP INDEX outbox_pending;
";
