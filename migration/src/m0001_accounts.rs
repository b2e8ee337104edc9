//! Accounts, users and API keys.

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
CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    email TEXT NOT NULL UNIQUE CHECK (email = LOWER(email)),
    password_hash TEXT,
    is_pro BOOLEAN NOT NULL,
    email_confirmed_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX users_by_account ON users (account_id);

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    livemode BOOLEAN NOT NULL,
    name TEXT NOT NULL,
    hint TEXT NOT NULL,
    secret_hash TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    monthly_cap_cents BIGINT CHECK (monthly_cap_cents >= 0),
    last_used_at BIGINT,
    expires_at BIGINT,
    revoked_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX api_keys_list ON api_keys (account_id, livemode, created_at DESC, id DESC);
";
