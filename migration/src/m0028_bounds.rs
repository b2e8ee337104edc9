//! Index of cancelled video scans, whose signed URLs count towards the quota of uploads, and the client
//! of each entry in the audit log.

use sea_orm_migration::prelude::*;

use crate::online::{IndexDefinition, create_indexes, index};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_indexes(manager, &INDEXES).await?;
        // Without a transaction, an interrupted migration runs again from its start.
        for column in ["client_address", "user_agent"] {
            if !manager.has_column("audit_log", column).await? {
                crate::run(manager, &format!("ALTER TABLE audit_log ADD COLUMN {column} TEXT")).await?;
            }
        }
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

const INDEXES: [IndexDefinition<'_>; 1] = [index(
    "scans_cancelled_videos",
    "scans (account_id, livemode, finished_at) WHERE status = 'cancelled' AND declared_bytes > 0",
)];
