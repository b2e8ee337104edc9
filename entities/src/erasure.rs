//! Closing and erasing accounts. An account is closed immediately, and its data is erased when
//! nothing is in progress. The ledger stays, and so do the rows it refers to, without personal
//! data.

use domain::{AccountId, ExportState, ScanId, ScanStatus, Timestamp, payment::PaymentState};
use sea_orm::{
    ConnectionTrait, PaginatorTrait, QueryOrder, QuerySelect, Statement, entity::prelude::*,
    sea_query::LockType,
};

use crate::{
    Reader, Result, WriteTxn, account_exports, accounts, audit_log, detachments,
    outbox::{self, Kind},
    payment_methods, payments, scans, sessions, users,
};

/// Statements that close an account: they remove its credentials and turn off automatic actions.
const CLOSE: [&str; 5] = [
    "UPDATE users SET email = id || '@erased.invalid', password_hash = NULL WHERE account_id = $1",
    "DELETE FROM user_tokens WHERE user_id IN (SELECT id FROM users WHERE account_id = $1)",
    "UPDATE api_keys SET revoked_at = (SELECT closed_at FROM accounts WHERE id = $1) \
     WHERE account_id = $1 AND revoked_at IS NULL",
    "UPDATE webhook_endpoints SET enabled = FALSE, deleted_at = (SELECT closed_at FROM accounts WHERE id = $1) \
     WHERE account_id = $1 AND deleted_at IS NULL",
    "UPDATE wallets SET auto_recharge = NULL WHERE account_id = $1",
];

/// Statements that erase personal data, children before parents. Rows that the ledger refers to are
/// emptied.
const ERASE: [&str; 22] = [
    "DELETE FROM webhook_attempts WHERE event_id IN (SELECT id FROM events WHERE account_id = $1)",
    "DELETE FROM webhook_deliveries WHERE account_id = $1",
    "DELETE FROM webhook_endpoints WHERE account_id = $1",
    "DELETE FROM outbox WHERE kind = 'event' AND subject IN (SELECT id FROM events WHERE account_id = $1)",
    "DELETE FROM events WHERE account_id = $1",
    "DELETE FROM search_entries WHERE account_id = $1",
    "DELETE FROM search_terms WHERE account_id = $1",
    "DELETE FROM search_spellings WHERE account_id = $1",
    "DELETE FROM search_frequencies WHERE account_id = $1",
    "DELETE FROM search_vectors WHERE account_id = $1",
    "DELETE FROM documents WHERE account_id = $1",
    "DELETE FROM uploads WHERE scan_id IN (SELECT id FROM scans WHERE account_id = $1)",
    "DELETE FROM idempotency_keys WHERE account_id = $1",
    r#"UPDATE scans SET input = '{"kind":"frames","language":"und","frames":[]}' WHERE account_id = $1"#,
    "UPDATE spaces SET name = '', space_type = '', description = NULL, external_id = NULL, \
     deleted_at = COALESCE(deleted_at, (SELECT closed_at FROM accounts WHERE id = $1)) WHERE account_id = $1",
    "UPDATE api_keys SET name = '', hint = '', secret_hash = 'erased:' || id WHERE account_id = $1",
    "DELETE FROM account_exports WHERE account_id = $1",
    "DELETE FROM payment_methods WHERE account_id = $1",
    "UPDATE payments SET customer = '', method = '', idempotency_key = NULL WHERE account_id = $1",
    "DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE account_id = $1)",
    "DELETE FROM audit_log WHERE account_id = $1",
    "UPDATE accounts SET name = '' WHERE id = $1",
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
    for scan in waiting.all(txn.conn()).await? {
        scans::cancel(txn, &scan.id, now).await?;
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
    let rows = rows.order_by_asc(scans::Column::Id).limit(limit).all(reader.conn()).await?;
    Ok(rows.into_iter().map(|scan| scan.id.0).collect())
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

async fn execute(txn: &WriteTxn, statements: &[&str], account: &AccountId) -> Result<()> {
    let backend = txn.conn().get_database_backend();
    for sql in statements {
        let statement = Statement::from_sql_and_values(backend, *sql, [account.as_str().into()]);
        txn.conn().execute_raw(statement).await?;
    }
    Ok(())
}
