//! Closing and erasing accounts. An account is closed immediately, and its data is erased when
//! nothing is in progress. The ledger stays, and so do the rows it refers to, without personal
//! data.

use domain::{AccountId, ExportState, ScanId, ScanStatus, Timestamp, payment::PaymentState};
use sea_orm::{
    ConnectionTrait, PaginatorTrait, QueryOrder, QuerySelect, Statement, entity::prelude::*,
    sea_query::LockType,
};

use crate::{
    Reader, Result, Text, WriteTxn, account_exports, accounts, audit_log, detachments,
    outbox::{self, Kind},
    payment_methods, payments, scans, sessions, users,
};

/// Number of scans that are read at a time.
const BATCH: u64 = 200;

/// What closing or erasing an account does with rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Deletes them.
    Delete,
    /// Overwrites columns. The rows stay, because the ledger or another kept row refers to them.
    Overwrite(&'static str),
}

/// One step of closing or erasing an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The table.
    pub table: &'static str,
    /// Condition of the account's rows; `$1` is the account.
    pub rows: &'static str,
    /// The change.
    pub action: Action,
}

const fn delete(table: &'static str, rows: &'static str) -> Step {
    Step { table, rows, action: Action::Delete }
}

const fn overwrite(table: &'static str, columns: &'static str, rows: &'static str) -> Step {
    Step { table, rows, action: Action::Overwrite(columns) }
}

const OF_ACCOUNT: &str = "account_id = $1";
const OF_SPACES: &str = "space_id IN (SELECT id FROM spaces WHERE account_id = $1)";
const OF_USERS: &str = "user_id IN (SELECT id FROM users WHERE account_id = $1)";

/// Steps that close an account: they remove its credentials and turn off automatic actions.
pub const CLOSE: [Step; 7] = [
    overwrite("users", "email = id || '@erased.invalid', password_hash = NULL", OF_ACCOUNT),
    delete("user_tokens", OF_USERS),
    delete("email_changes", OF_USERS),
    overwrite(
        "api_keys",
        "revoked_at = (SELECT closed_at FROM accounts WHERE id = $1)",
        "account_id = $1 AND revoked_at IS NULL",
    ),
    overwrite(
        "webhook_endpoints",
        "enabled = FALSE, deleted_at = (SELECT closed_at FROM accounts WHERE id = $1)",
        "account_id = $1 AND deleted_at IS NULL",
    ),
    delete("shares", OF_ACCOUNT),
    overwrite("wallets", "auto_recharge = NULL", OF_ACCOUNT),
];

/// Steps that erase personal data, children before parents.
pub const ERASE: [Step; 25] = [
    delete("webhook_attempts", "event_id IN (SELECT id FROM events WHERE account_id = $1)"),
    delete("webhook_deliveries", OF_ACCOUNT),
    delete("webhook_endpoints", OF_ACCOUNT),
    delete("outbox", "kind = 'event' AND subject IN (SELECT id FROM events WHERE account_id = $1)"),
    delete("events", OF_ACCOUNT),
    delete("search_entries", OF_SPACES),
    delete("search_terms", OF_ACCOUNT),
    delete("search_spellings", OF_ACCOUNT),
    delete("search_frequencies", OF_ACCOUNT),
    delete("search_vectors", OF_SPACES),
    delete("search_sketches", OF_ACCOUNT),
    delete("corrections", OF_ACCOUNT),
    delete("documents", OF_SPACES),
    delete("uploads", "scan_id IN (SELECT id FROM scans WHERE account_id = $1)"),
    delete("idempotency_keys", OF_ACCOUNT),
    overwrite("scans", r#"input = '{"kind":"frames","language":"und","frames":[]}'"#, OF_ACCOUNT),
    overwrite(
        "spaces",
        "name = '', space_type = '', description = NULL, external_id = NULL, \
         deleted_at = COALESCE(deleted_at, (SELECT closed_at FROM accounts WHERE id = $1))",
        OF_ACCOUNT,
    ),
    delete("key_uses", "key_id IN (SELECT id FROM api_keys WHERE account_id = $1)"),
    overwrite("api_keys", "name = '', hint = '', secret_hash = 'erased:' || id", OF_ACCOUNT),
    delete("account_exports", OF_ACCOUNT),
    delete("payment_methods", OF_ACCOUNT),
    overwrite("payments", "customer = '', method = '', idempotency_key = NULL", OF_ACCOUNT),
    delete("sessions", OF_USERS),
    delete("audit_log", OF_ACCOUNT),
    overwrite("accounts", "name = ''", "id = $1"),
];

/// Tables that lead to an account and are left unchanged, each with the reason.
pub const KEPT: [(&str, &str); 3] = [
    ("ledger_transactions", "the law requires the records of money, which contain no personal data"),
    ("ledger_entries", "the law requires the records of money, which contain no personal data"),
    ("scan_transitions", "the times of kept scans, without personal data"),
];

/// Closes an account and enqueues its erasure. Nobody can log in, no key is valid, and its mail
/// addresses are free again. Returns whether the account was open.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn close(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<bool> {
    if !accounts::is_open(txn, account, LockType::NoKeyUpdate).await? {
        return Ok(false);
    }
    if !set_time(txn, account, accounts::Column::ClosedAt, now).await? {
        return Ok(false);
    }
    for user in users::of_account(txn, account).await? {
        sessions::revoke_all(txn, &user.id, now).await?;
    }
    execute(txn, &CLOSE, account).await?;
    let payload = serde_json::json!({});
    outbox::enqueue(txn, Kind::Erasure, account.as_str(), &payload, now, now).await?;
    Ok(true)
}

/// Cancels scans that were never started. Returns the number of operations that must end before the
/// erasure: scans in the pipeline, undecided payments and pending exports.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn settle(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<u64> {
    let of_account = || scans::Entity::find().filter(scans::Column::AccountId.eq(account.as_str()));
    let waiting = of_account().filter(scans::Column::Status.eq(ScanStatus::AwaitingUpload.as_str()));
    let waiting = waiting.select_only().column(scans::Column::Id);
    loop {
        // A cancelled scan is not found again.
        let ids: Vec<Text<ScanId>> = waiting.clone().limit(BATCH).into_tuple().all(txn.conn()).await?;
        if ids.is_empty() {
            break;
        }
        for id in ids {
            scans::cancel(txn, &id, now).await?;
        }
    }
    let names = ScanStatus::ALL.into_iter().filter(|s| s.is_in_progress()).map(ScanStatus::as_str);
    let running = of_account().filter(scans::Column::Status.is_in(names)).count(txn.conn()).await?;
    let undecided = payments::Entity::find()
        .filter(payments::Column::AccountId.eq(account.as_str()))
        .filter(payments::Column::State.eq(PaymentState::Pending.as_str()));
    let exports = account_exports::Entity::find()
        .filter(account_exports::Column::AccountId.eq(account.as_str()))
        .filter(account_exports::Column::State.eq(ExportState::Pending.as_str()));
    Ok(running + undecided.count(txn.conn()).await? + exports.count(txn.conn()).await?)
}

/// Returns up to `limit` scans of an account in both modes, after the scan `after`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn scans_after(
    reader: &impl Reader,
    account: &AccountId,
    after: Option<&ScanId>,
    limit: u64,
) -> Result<Vec<ScanId>> {
    let mut rows = scans::Entity::find().filter(scans::Column::AccountId.eq(account.as_str()));
    if let Some(after) = after {
        rows = rows.filter(scans::Column::Id.gt(after.as_str()));
    }
    let rows = rows.order_by_asc(scans::Column::Id).limit(limit).select_only().column(scans::Column::Id);
    let ids: Vec<Text<ScanId>> = rows.into_tuple().all(reader.conn()).await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}

/// Erases the records of a closed account and completes its outbox entry. Returns whether this call
/// erased them; an open account is left unchanged.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn erase(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<bool> {
    let open = accounts::is_open(txn, account, LockType::NoKeyUpdate).await?;
    if open || !set_time(txn, account, accounts::Column::ErasedAt, now).await? {
        return Ok(false);
    }
    let methods =
        payment_methods::Entity::find().filter(payment_methods::Column::AccountId.eq(account.as_str()));
    for method in methods.all(txn.conn()).await? {
        detachments::enqueue(txn, &method, now).await?;
    }
    execute(txn, &ERASE, account).await?;
    let (actor, subject, detail) = ("service", account.as_str(), serde_json::json!({}));
    let entry = audit_log::NewEntry { account_id: account, actor, action: "account.erased", subject, detail };
    audit_log::append(txn, entry, now).await?;
    outbox::complete_in(txn, Kind::Erasure, account.as_str(), now).await?;
    Ok(true)
}

/// Sets a time column of the account unless it is set. Returns whether this call set it.
async fn set_time(
    txn: &WriteTxn,
    account: &AccountId,
    column: accounts::Column,
    now: Timestamp,
) -> Result<bool> {
    let update = accounts::Entity::update_many()
        .col_expr(column, Expr::value(now.as_millis()))
        .filter(accounts::Column::Id.eq(account.as_str()))
        .filter(column.is_null());
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

async fn execute(txn: &WriteTxn, steps: &[Step], account: &AccountId) -> Result<()> {
    let backend = txn.conn().get_database_backend();
    for Step { table, rows, action } in steps {
        let sql = match action {
            Action::Delete => format!("DELETE FROM {table} WHERE {rows}"),
            Action::Overwrite(columns) => format!("UPDATE {table} SET {columns} WHERE {rows}"),
        };
        let statement = Statement::from_sql_and_values(backend, sql, [account.as_str().into()]);
        txn.conn().execute_raw(statement).await?;
    }
    Ok(())
}
