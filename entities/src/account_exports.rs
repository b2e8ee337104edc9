//! Exports of accounts: archives of everything that an account has, for a while.

use domain::{AccountId, ExportId, ExportState, Timestamp};
use sea_orm::{ConnectionTrait, FromQueryResult, JsonValue, Statement, entity::prelude::*};

use crate::{
    Millis, Reader, Result, Text, WriteTxn, accounts,
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
    /// Whose it is.
    pub account_id: Text<AccountId>,
    /// How it stands.
    pub state: Text<ExportState>,
    /// The archive's size, once it is made.
    pub bytes: Option<i64>,
    /// When it was asked for.
    pub created_at: Millis,
    /// When the archive was made.
    pub finished_at: Option<Millis>,
    /// Until when the archive is kept.
    pub expires_at: Option<Millis>,
}

no_relations!();

/// What an archive holds of the database, by file: everything about the account but secrets, hashes of
/// secrets, and where things lie inside the service.
const FILES: [(&str, &str); 15] = [
    ("account", "SELECT id, name, created_at FROM accounts WHERE id = $1"),
    ("users", "SELECT id, email, is_pro, email_confirmed_at, created_at FROM users WHERE account_id = $1"),
    (
        "sessions",
        "SELECT id, user_id, created_at, last_seen_at, expires_at, revoked_at FROM sessions \
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

/// Asks for an export; one that is in the making already is answered again. Promises that it will be made.
///
/// # Errors
/// [`crate::Error::AccountClosed`]; of the database.
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

/// The export of this account with this id.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, account: &AccountId, id: &ExportId) -> Result<Option<Model>> {
    let found = Entity::find_by_id(Text::from(id)).filter(Column::AccountId.eq(account.as_str()));
    Ok(found.one(reader.conn()).await?)
}

/// What an archive holds of the database: names of files, and their rows.
///
/// # Errors
/// Of the database.
pub async fn contents(
    reader: &impl Reader,
    account: &AccountId,
) -> Result<Vec<(&'static str, Vec<JsonValue>)>> {
    let backend = reader.conn().get_database_backend();
    let mut files = Vec::with_capacity(FILES.len());
    for (name, query) in FILES {
        let statement = Statement::from_sql_and_values(backend, query, [account.as_str().into()]);
        files.push((name, JsonValue::find_by_statement(statement).all(reader.conn()).await?));
    }
    Ok(files)
}

/// For the workflow of an export, which was told its id.
pub mod system {
    use super::{
        Column, ColumnTrait, Entity, EntityTrait, ExportId, ExportState, Expr, Kind, Model, QueryFilter,
        Result, Text, Timestamp, WriteTxn, outbox,
    };
    use crate::Reader;

    /// The export with this id.
    ///
    /// # Errors
    /// Of the database.
    pub async fn find(reader: &impl Reader, id: &ExportId) -> Result<Option<Model>> {
        Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
    }

    /// Records that the archive was made, and that the promise was kept. The first time stands.
    ///
    /// # Errors
    /// Of the database.
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
        outbox::done_in(txn, Kind::Export, id.as_str(), now).await?;
        Ok(())
    }

    /// Records that the archive is gone.
    ///
    /// # Errors
    /// Of the database.
    pub async fn expire(txn: &WriteTxn, id: &ExportId) -> Result<()> {
        Entity::update_many()
            .col_expr(Column::State, Expr::value(ExportState::Expired.as_str()))
            .filter(Column::Id.eq(id.as_str()))
            .exec(txn.conn())
            .await?;
        Ok(())
    }
}
