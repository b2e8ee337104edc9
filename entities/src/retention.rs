//! Deletes rows whose retention has ended, the oldest first and in bounded batches.
//!
//! `activities` decides how long each kind of row is kept. Each query is served by an index, which
//! its rule names.

use domain::Timestamp;
use sea_orm::{ConnectionTrait, Statement};

use crate::{Reader, Result, WriteTxn};

/// A kind of rows that are deleted some time after the end of their use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The table.
    pub table: &'static str,
    /// Index that finds the oldest rows.
    pub index: &'static str,
    /// Columns of the primary key.
    key: &'static str,
    /// Column with the time from which the retention counts, in milliseconds. Rows without this
    /// time are kept.
    since: &'static str,
    /// Further condition; other rows are kept.
    only: Option<&'static str>,
}

/// Completed outbox entries.
pub const OUTBOX: Rule =
    Rule { table: "outbox", index: "outbox_done", key: "id", since: "done_at", only: None };

/// Idempotency keys of scans.
pub const IDEMPOTENCY_KEYS: Rule = Rule {
    table: "idempotency_keys",
    index: "idempotency_keys_by_age",
    key: "account_id, livemode, key",
    since: "created_at",
    only: None,
};

/// Attempts of webhook deliveries.
pub const WEBHOOK_ATTEMPTS: Rule = Rule {
    table: "webhook_attempts",
    index: "webhook_attempts_by_age",
    key: "event_id, endpoint_id, attempt",
    since: "at",
    only: None,
};

/// Ended webhook deliveries without attempts.
pub const WEBHOOK_DELIVERIES: Rule = Rule {
    table: "webhook_deliveries",
    index: "webhook_deliveries_ended",
    key: "event_id, endpoint_id",
    since: "finished_at",
    only: Some(
        "NOT EXISTS (SELECT 1 FROM webhook_attempts WHERE webhook_attempts.event_id = webhook_deliveries.event_id \
         AND webhook_attempts.endpoint_id = webhook_deliveries.endpoint_id)",
    ),
};

/// Events without deliveries.
pub const EVENTS: Rule = Rule {
    table: "events",
    index: "events_by_age",
    key: "seq",
    since: "created_at",
    only: Some("NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_deliveries.event_id = events.id)"),
};

/// Deleted webhook endpoints without deliveries.
pub const WEBHOOK_ENDPOINTS: Rule = Rule {
    table: "webhook_endpoints",
    index: "webhook_endpoints_deleted",
    key: "id",
    since: "deleted_at",
    only: Some(
        "NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_deliveries.endpoint_id = webhook_endpoints.id)",
    ),
};

/// Expired sessions, whether they were ended early or not.
pub const SESSIONS: Rule =
    Rule { table: "sessions", index: "sessions_by_end", key: "id", since: "expires_at", only: None };

/// Expired share links, revoked or not.
pub const SHARES: Rule =
    Rule { table: "shares", index: "shares_by_end", key: "id", since: "expires_at", only: None };

/// Expired mailed tokens, used or not.
pub const USER_TOKENS: Rule = Rule {
    table: "user_tokens",
    index: "user_tokens_by_end",
    key: "secret_hash",
    since: "expires_at",
    only: None,
};

/// Expired changes of e-mail addresses, used or not.
pub const EMAIL_CHANGES: Rule = Rule {
    table: "email_changes",
    index: "email_changes_by_end",
    key: "secret_hash",
    since: "expires_at",
    only: None,
};

/// Daily uses of API keys.
pub const KEY_USES: Rule =
    Rule { table: "key_uses", index: "key_uses_by_age", key: "key_id, day", since: "counted_at", only: None };

/// Exports whose archive was deleted.
pub const ACCOUNT_EXPORTS: Rule = Rule {
    table: "account_exports",
    index: "account_exports_ended",
    key: "id",
    since: "expires_at",
    only: Some("state = 'expired'"),
};

/// Reports of the daily comparison of bank and ledger.
pub const BANK_REPORTS: Rule = Rule {
    table: "bank_reports",
    index: "bank_reports_by_age",
    key: "day, livemode",
    since: "created_at",
    only: None,
};

/// The audit log.
pub const AUDIT_LOG: Rule =
    Rule { table: "audit_log", index: "audit_log_by_age", key: "id", since: "at", only: None };

impl Rule {
    /// Returns the query of the keys to delete, oldest first. `$1` is the time before which the
    /// retention has ended, `$2` the maximum number of rows.
    pub fn query(&self) -> String {
        let Self { table, key, since, .. } = self;
        let only = self.only.map_or_else(String::new, |condition| format!(" AND {condition}"));
        format!("SELECT {key} FROM {table} WHERE {since} < $1{only} ORDER BY {since} LIMIT $2")
    }

    /// Deletes up to `limit` rows whose retention counts from a time before `before`, and returns
    /// their number.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn delete_batch(&self, txn: &WriteTxn, before: Timestamp, limit: u32) -> Result<u64> {
        let sql = format!("DELETE FROM {} WHERE ({}) IN ({})", self.table, self.key, self.query());
        let backend = txn.conn().get_database_backend();
        let values = [before.as_millis().into(), i64::from(limit).into()];
        let statement = Statement::from_sql_and_values(backend, sql, values);
        Ok(txn.conn().execute_raw(statement).await?.rows_affected())
    }
}
