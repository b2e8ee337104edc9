//! Mailed one-time tokens, stored as hashes.

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
CREATE TABLE user_tokens (
    secret_hash TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    purpose TEXT NOT NULL CHECK (purpose IN ('confirm_email', 'reset_password')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX user_tokens_by_user ON user_tokens (user_id, purpose);
CREATE INDEX user_tokens_by_end ON user_tokens (expires_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
";
