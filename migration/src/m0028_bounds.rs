//! Index of cancelled video scans, whose signed URLs count towards the quota of uploads.

use sea_orm_migration::prelude::*;

use crate::online::{IndexDefinition, create_indexes, index};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_indexes(manager, &INDEXES).await
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

const INDEXES: [IndexDefinition<'_>; 1] = [index(
    "scans_cancelled_videos",
    "scans (account_id, livemode, finished_at) WHERE status = 'cancelled' AND declared_bytes > 0",
)];
