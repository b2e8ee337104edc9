//! Account exports: temporary archives of all data of an account.

use domain::{AccountId, ExportId, ExportState, Timestamp};
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use sea_orm::{FromQueryResult, JsonValue, QueryOrder, Statement, entity::prelude::*};

use crate::{
    Db, Error, Millis, Reader, Result, Text, WriteTxn, accounts,
    outbox::{self, Kind},
    table,
};

/// An export.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account_exports")]
pub struct Model {
    /// Prefix `exp_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<ExportId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Current state.
    pub state: Text<ExportState>,
    /// Size of the archive in bytes, once it is ready.
    pub bytes: Option<i64>,
    /// Time of the request.
    pub created_at: Millis,
    /// Time at which the archive was ready.
    pub finished_at: Option<Millis>,
    /// Time at which the archive is deleted.
    pub expires_at: Option<Millis>,
}

no_relations!();

/// Maximum number of rows of a page of [`pages`].
pub const PAGE_ROWS: usize = 500;

/// Files of an archive with their queries: all data of the account except secrets, hashes of
/// secrets and internal storage keys.
const FILES: [(&str, &str); 17] = [
    ("account", "SELECT id, name, created_at FROM accounts WHERE id = $1"),
    ("users", "SELECT id, email, is_pro, email_confirmed_at, created_at FROM users WHERE account_id = $1"),
    (
        "sessions",
        "SELECT id, user_id, created_at, last_seen_at, expires_at, revoked_at, client_address, user_agent FROM sessions \
         WHERE user_id IN (SELECT id FROM users WHERE account_id = $1)",
    ),
    (
        "keys",
        "SELECT id, user_id, livemode, name, hint, scopes, monthly_cap_cents, last_used_at, expires_at, \
         revoked_at, created_at FROM api_keys WHERE account_id = $1",
    ),
    ("audit_log", "SELECT * FROM audit_log WHERE account_id = $1"),
    ("spaces", "SELECT * FROM spaces WHERE account_id = $1"),
    ("scans", "SELECT * FROM scans WHERE account_id = $1"),
    (
        "uploads",
        "SELECT scan_id, slot, content_type, bytes, sha256, uploaded_at FROM uploads \
         WHERE scan_id IN (SELECT id FROM scans WHERE account_id = $1)",
    ),
    ("corrections", "SELECT * FROM corrections WHERE account_id = $1"),
    (
        "shares",
        "SELECT id, livemode, space_id, scan_id, shows_credentials, shows_persons, created_at, expires_at, revoked_at \
         FROM shares WHERE account_id = $1",
    ),
    ("events", "SELECT * FROM events WHERE account_id = $1"),
    (
        "webhook_endpoints",
        "SELECT id, livemode, url, events, enabled, disabled_reason, created_at, updated_at, deleted_at \
         FROM webhook_endpoints WHERE account_id = $1",
    ),
    ("webhook_deliveries", "SELECT * FROM webhook_deliveries WHERE account_id = $1"),
    ("wallets", "SELECT * FROM wallets WHERE account_id = $1"),
    ("ledger_transactions", "SELECT * FROM ledger_transactions WHERE account_id = $1"),
    (
        "payment_methods",
        "SELECT livemode, brand, last4, updated_at FROM payment_methods WHERE account_id = $1",
    ),
    (
        "payments",
        "SELECT id, livemode, kind, state, amount_cents, reference, reason, created_at, updated_at \
         FROM payments WHERE account_id = $1",
    ),
];

/// Requests an export and enqueues its creation. Returns the pending export if there is one.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn begin(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<Model> {
    accounts::lock(txn, account).await?;
    let pending = Entity::find()
        .filter(Column::AccountId.eq(account.as_str()))
        .filter(Column::State.eq(ExportState::Pending.as_str()));
    if let Some(pending) = pending.one(txn.conn()).await? {
        return Ok(pending);
    }
    let export = Model {
        id: ExportId::new().into(),
        account_id: Text::from(account),
        state: ExportState::Pending.into(),
        bytes: None,
        created_at: now.into(),
        finished_at: None,
        expires_at: None,
    };
    table::insert(txn, export.clone()).await?;
    outbox::enqueue(txn, Kind::Export, export.id.as_str(), &serde_json::json!({}), now, now).await?;
    Ok(export)
}

/// Returns the export of this account with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, account: &AccountId, id: &ExportId) -> Result<Option<Model>> {
    let found = Entity::find_by_id(Text::from(id)).filter(Column::AccountId.eq(account.as_str()));
    Ok(found.one(reader.conn()).await?)
}

/// Returns the names of the files of an archive.
pub fn files() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(name, _)| name)
}

/// Returns the query of a file of an archive; `$1` is the account.
pub fn query(file: &str) -> Option<&'static str> {
    FILES.into_iter().find(|(name, _)| *name == file).map(|(_, query)| query)
}

/// Returns the rows of a file of an archive as a stream of pages of at most [`PAGE_ROWS`] rows. The
/// rows are read while the stream is polled, so the memory does not grow with the account.
///
/// # Errors
/// Returns an error if there is no such file. The stream returns an error if the database fails.
pub async fn pages<'a>(
    db: &'a Db,
    file: &str,
    account: &AccountId,
) -> Result<BoxStream<'a, Result<Vec<JsonValue>>>> {
    let query = query(file).ok_or_else(|| Error::corrupt(format!("an archive has no file {file}")))?;
    let statement = Statement::from_sql_and_values(db.backend(), query, [account.as_str().into()]);
    let rows = JsonValue::find_by_statement(statement).stream(db.conn()).await?;
    Ok(rows.map_err(Error::from).try_chunks(PAGE_ROWS).map_err(|e| e.1).boxed())
}

/// Functions for the export workflow, which has only the id.
pub mod system {
    use super::{
        Column, ColumnTrait, Entity, EntityTrait, ExportId, ExportState, Expr, Kind, Model, QueryFilter,
        QueryOrder, Result, Text, Timestamp, WriteTxn, outbox,
    };
    use crate::Reader;
    use domain::layout;
    use sea_orm::QuerySelect;

    /// Returns the export with this id.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn find(reader: &impl Reader, id: &ExportId) -> Result<Option<Model>> {
        Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
    }

    /// Returns every export whose archive is ready.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn list_ready(reader: &impl Reader) -> Result<Vec<Model>> {
        let rows = Entity::find().filter(Column::State.eq(ExportState::Ready.as_str()));
        Ok(rows.order_by_asc(Column::Id).all(reader.conn()).await?)
    }

    /// Records that the archive is ready and completes the outbox entry. Idempotent: the first time
    /// is kept.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn finish(
        txn: &WriteTxn,
        id: &ExportId,
        bytes: i64,
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<()> {
        Entity::update_many()
            .col_expr(Column::State, Expr::value(ExportState::Ready.as_str()))
            .col_expr(Column::Bytes, Expr::value(bytes))
            .col_expr(Column::FinishedAt, Expr::value(now.as_millis()))
            .col_expr(Column::ExpiresAt, Expr::value(expires_at.as_millis()))
            .filter(Column::Id.eq(id.as_str()))
            .filter(Column::State.eq(ExportState::Pending.as_str()))
            .exec(txn.conn())
            .await?;
        outbox::complete_in(txn, Kind::Export, id.as_str(), now).await?;
        Ok(())
    }

    /// Records that the archive was deleted.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn expire(txn: &WriteTxn, id: &ExportId) -> Result<()> {
        Entity::update_many()
            .col_expr(Column::State, Expr::value(ExportState::Expired.as_str()))
            .filter(Column::Id.eq(id.as_str()))
            .exec(txn.conn())
            .await?;
        Ok(())
    }

    /// Expires up to `limit` archives whose retention ended before `before` although no workflow
    /// deleted them, and enqueues their deletion. Returns their number.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn expire_overdue(
        txn: &WriteTxn,
        before: Timestamp,
        limit: u64,
        now: Timestamp,
    ) -> Result<u64> {
        let overdue = Entity::find()
            .filter(Column::State.eq(ExportState::Ready.as_str()))
            .filter(Column::ExpiresAt.lt(before.as_millis()))
            .order_by_asc(Column::ExpiresAt)
            .limit(limit)
            .all(txn.conn())
            .await?;
        for export in &overdue {
            outbox::enqueue_purge(txn, &layout::account_export(&export.account_id, &export.id), now).await?;
            expire(txn, &export.id).await?;
        }
        Ok(overdue.len() as u64)
    }
}
