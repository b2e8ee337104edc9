//! Wallets (the running balance, which is locked while money moves) and the append-only ledger.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, UP).await?;
        let protection = match manager.get_database_backend() {
            DbBackend::Sqlite => APPEND_ONLY_SQLITE,
            _ => APPEND_ONLY_POSTGRES,
        };
        crate::run(manager, protection).await
    }
}

const UP: &str = r"
CREATE TABLE wallets (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    livemode BOOLEAN NOT NULL,
    balance_cents BIGINT NOT NULL,
    free_scans BIGINT NOT NULL CHECK (free_scans >= 0),
    auto_recharge TEXT,
    PRIMARY KEY (account_id, livemode)
);

CREATE TABLE ledger_transactions (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    kind TEXT NOT NULL,
    scan_id TEXT REFERENCES scans (id),
    key_id TEXT REFERENCES api_keys (id),
    month TEXT NOT NULL,
    amount_cents BIGINT NOT NULL,
    reference TEXT,
    created_at BIGINT NOT NULL,
    FOREIGN KEY (account_id, livemode) REFERENCES wallets (account_id, livemode)
);
CREATE UNIQUE INDEX ledger_once_by_scan ON ledger_transactions (kind, scan_id) WHERE scan_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_once_by_reference ON ledger_transactions (kind, reference) WHERE reference IS NOT NULL;
CREATE INDEX ledger_list ON ledger_transactions (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX ledger_by_key ON ledger_transactions (key_id, month) WHERE key_id IS NOT NULL;

CREATE TABLE ledger_entries (
    id {AUTO_ID},
    transaction_id TEXT NOT NULL REFERENCES ledger_transactions (id),
    ledger_account TEXT NOT NULL,
    commodity TEXT NOT NULL CHECK (commodity IN ('usd_cents', 'free_scan')),
    amount BIGINT NOT NULL CHECK (amount <> 0)
);
CREATE INDEX ledger_entries_by_transaction ON ledger_entries (transaction_id);
CREATE INDEX ledger_entries_by_account ON ledger_entries (ledger_account, commodity);
";

const APPEND_ONLY_SQLITE: &str = r"
CREATE TRIGGER ledger_transactions_no_update BEFORE UPDATE ON ledger_transactions
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_transactions_no_delete BEFORE DELETE ON ledger_transactions
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
";

const APPEND_ONLY_POSTGRES: &str = r"
CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER ledger_transactions_append_only BEFORE UPDATE OR DELETE ON ledger_transactions
    FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER ledger_transactions_no_truncate BEFORE TRUNCATE ON ledger_transactions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
";
