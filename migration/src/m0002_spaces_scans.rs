//! Spaces, scans, uploads and idempotency keys.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// The record of an idempotency key is inserted before its scan, so that concurrent requests wait on
// it. The foreign key is therefore checked at commit.
const UP: &str = r"
CREATE TABLE spaces (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    space_type TEXT NOT NULL,
    description TEXT,
    external_id TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT
);
CREATE INDEX spaces_list ON spaces (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX spaces_by_external_id ON spaces (account_id, livemode, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE scans (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    space_id TEXT NOT NULL REFERENCES spaces (id),
    key_id TEXT REFERENCES api_keys (id),
    status TEXT NOT NULL,
    stage TEXT,
    progress DOUBLE PRECISION NOT NULL,
    input TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    deadline_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    charge_kind TEXT,
    price_cents BIGINT,
    refunded BOOLEAN NOT NULL,
    error TEXT,
    document_revision BIGINT
);
CREATE INDEX scans_list ON scans (space_id, created_at DESC, id DESC);
CREATE INDEX scans_by_status ON scans (account_id, livemode, status);
CREATE INDEX scans_unfinished ON scans (status, created_at)
    WHERE status IN ('awaiting_upload', 'queued', 'processing');

CREATE TABLE scan_transitions (
    scan_id TEXT NOT NULL REFERENCES scans (id),
    seq BIGINT NOT NULL,
    from_status TEXT,
    status TEXT NOT NULL,
    stage TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (scan_id, seq)
);
CREATE UNIQUE INDEX scan_transitions_once ON scan_transitions (scan_id, status, COALESCE(stage, ''));

CREATE TABLE uploads (
    scan_id TEXT NOT NULL REFERENCES scans (id),
    slot TEXT NOT NULL,
    object_key TEXT NOT NULL,
    content_type TEXT NOT NULL,
    bytes BIGINT NOT NULL CHECK (bytes >= 0),
    etag TEXT NOT NULL,
    sha256 TEXT,
    uploaded_at BIGINT NOT NULL,
    PRIMARY KEY (scan_id, slot)
);

CREATE TABLE idempotency_keys (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    scan_id TEXT NOT NULL REFERENCES scans (id) DEFERRABLE INITIALLY DEFERRED,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, livemode, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_scan ON idempotency_keys (scan_id);
";
