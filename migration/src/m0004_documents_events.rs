//! Documents with their storage keys, and events with their bodies.

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
CREATE TABLE documents (
    scan_id TEXT NOT NULL PRIMARY KEY REFERENCES scans (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    space_id TEXT NOT NULL REFERENCES spaces (id),
    revision BIGINT NOT NULL CHECK (revision > 0),
    object_key TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (space_id, revision)
);

CREATE TABLE events (
    seq {AUTO_ID},
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    event_type TEXT NOT NULL,
    scan_id TEXT REFERENCES scans (id),
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX events_list ON events (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX events_stream ON events (account_id, livemode, seq);
";
