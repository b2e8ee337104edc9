//! Transcripts as objects, details of sessions, changes of e-mail addresses, and daily uses of keys.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await
    }
}

// Scans from before the migration keep their transcript in `input`.
const UP: &str = r"
ALTER TABLE scans ADD COLUMN transcript_of TEXT;
ALTER TABLE sessions ADD COLUMN authenticated_at BIGINT;
ALTER TABLE sessions ADD COLUMN client_address TEXT;
ALTER TABLE sessions ADD COLUMN user_agent TEXT;
CREATE TABLE email_changes (
    secret_hash TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    email TEXT NOT NULL CHECK (email = LOWER(email)),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX email_changes_by_user ON email_changes (user_id);
CREATE INDEX email_changes_by_end ON email_changes (expires_at);
CREATE TABLE key_uses (
    key_id TEXT NOT NULL REFERENCES api_keys (id),
    day TEXT NOT NULL,
    counted_at BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);
CREATE INDEX key_uses_by_age ON key_uses (counted_at);
";
