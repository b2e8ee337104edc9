//! API keys, with which servers authenticate.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use domain::{
    AccountId, KeyId, Timestamp, UserId,
    mode::Tenant,
    money::Cents,
    page::{Keyset, Page, PageRequest},
    scope::Scope,
};
use sea_orm::{Condition, entity::prelude::*};

use crate::{Db, Json, Millis, Reader, Result, Text, WriteTxn, accounts, table, table::TenantOwned};

/// Maximum number of active keys of an account, in both modes together.
pub const MAX_ACTIVE_KEYS: u64 = 100;
/// Number of keys of one query.
const IDS: usize = 256;
/// Minimum time between two writes of `last_used_at`.
const LAST_USED_RESOLUTION: Duration = Duration::from_secs(60);

/// An API key. Only the hash of its secret is stored.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_keys")]
pub struct Model {
    /// Prefix `key_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<KeyId>,
    /// The account it acts for.
    pub account_id: Text<AccountId>,
    /// The user who created it.
    pub user_id: Text<UserId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Name shown in the console.
    pub name: String,
    /// First characters of the secret, to tell keys apart.
    pub hint: String,
    /// SHA-256 of the secret, in hex.
    pub secret_hash: String,
    /// Granted scopes.
    pub scopes: Json<Vec<Scope>>,
    /// Maximum amount in cents that it may spend on scans in a calendar month (UTC).
    pub monthly_cap_cents: Option<Cents>,
    /// Time of the last use, accurate to one minute.
    pub last_used_at: Option<Millis>,
    /// Expiry time, if it expires.
    pub expires_at: Option<Millis>,
    /// Time of revocation.
    pub revoked_at: Option<Millis>,
    /// Creation time.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("id", &self.id).field("hint", &self.hint).finish_non_exhaustive()
    }
}

impl Model {
    /// Returns whether the key is valid now.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end.0)
    }

    /// Returns whether a use at this time must be recorded: the last recorded use is at least a
    /// minute old.
    pub fn needs_use_recorded(&self, now: Timestamp) -> bool {
        self.last_used_at.is_none_or(|at| at.0 <= now.minus(LAST_USED_RESOLUTION))
    }

    /// Returns whether the key has this scope.
    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// Returns the keys whose secrets have these hashes, by hash, including revoked and expired keys.
/// This lookup identifies the tenant, so it takes none.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn of_secret_hashes(reader: &impl Reader, hashes: &[String]) -> Result<HashMap<String, Model>> {
    let rows =
        Entity::find().filter(Column::SecretHash.is_in(table::pad_to_power_of_two(hashes.iter().collect())));
    let found = rows.all(reader.conn()).await?;
    Ok(found.into_iter().map(|key| (key.secret_hash.clone(), key)).collect())
}

/// Returns those of the keys that are valid now and whose account is open.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_active(reader: &impl Reader, ids: &[KeyId], now: Timestamp) -> Result<HashSet<KeyId>> {
    let mut active = HashSet::new();
    for batch in ids.chunks(IDS) {
        let batch = table::pad_to_power_of_two(batch.iter().map(KeyId::as_str).collect());
        // Closing an account revokes its keys in the same transaction.
        let keys = Entity::find().filter(Column::Id.is_in(batch)).all(reader.conn()).await?;
        active.extend(keys.into_iter().filter(|key| key.is_active(now)).map(|key| key.id.0));
    }
    Ok(active)
}

/// Records a use of the key, at most once a minute.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn touch_last_used(db: &Db, key: &Model, now: Timestamp) -> Result<()> {
    if !key.needs_use_recorded(now) {
        return Ok(());
    }
    let stale_before = now.minus(LAST_USED_RESOLUTION);
    let stale = Condition::any()
        .add(Column::LastUsedAt.is_null())
        .add(Column::LastUsedAt.lte(stale_before.as_millis()));
    let id = key.id.clone();
    db.write(async |txn| {
        Entity::update_many()
            .col_expr(Column::LastUsedAt, Expr::value(now.as_millis()))
            .filter(Column::Id.eq(id.as_str()))
            .filter(stale.clone())
            .exec(txn.conn())
            .await?;
        Ok(())
    })
    .await
}

/// Returns whether the account has [`MAX_ACTIVE_KEYS`] active keys, and locks the account until the
/// transaction ends, so that concurrent additions cannot exceed the limit.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn is_limit_reached(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<bool> {
    accounts::lock(txn, account).await?;
    let unexpired =
        Condition::any().add(Column::ExpiresAt.is_null()).add(Column::ExpiresAt.gt(now.as_millis()));
    let active = of_account(account).filter(Column::RevokedAt.is_null()).filter(unexpired);
    Ok(active.count(txn.conn()).await? >= MAX_ACTIVE_KEYS)
}

/// Revokes every key of an account, in both modes. Returns the number of keys that were active.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke_all(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<u64> {
    let revoked = Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now.as_millis()))
        .filter(Column::AccountId.eq(account.as_str()))
        .filter(Column::RevokedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(revoked.rows_affected)
}

fn of_account(account: &AccountId) -> sea_orm::Select<Entity> {
    Entity::find().filter(Column::AccountId.eq(account.as_str()))
}

/// Inserts a key.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn insert(txn: &WriteTxn, key: &Model) -> Result<()> {
    accounts::require_open(txn, &key.account_id).await?;
    table::insert(txn, key.clone()).await
}

/// Returns the key with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &KeyId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Returns the keys of an account and mode, including revoked keys, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    let columns = (Column::CreatedAt, Column::Id);
    table::page(reader, Entity::of(tenant), columns, request, |row| Keyset::at(row.created_at.0, &row.id.0))
        .await
}

/// Revokes a key. Returns whether it exists. A revoked key keeps its first time of revocation.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke(txn: &WriteTxn, tenant: &Tenant, id: &KeyId, now: Timestamp) -> Result<bool> {
    let Some(key) = find(txn, tenant, id).await? else { return Ok(false) };
    if key.revoked_at.is_none() {
        set(txn, id, Column::RevokedAt, now.as_millis()).await?;
    }
    Ok(true)
}

/// Sets the expiry time of a key, for a rotation with overlap. Returns whether the key exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn expire_at(txn: &WriteTxn, tenant: &Tenant, id: &KeyId, at: Timestamp) -> Result<bool> {
    if find(txn, tenant, id).await?.is_none() {
        return Ok(false);
    }
    set(txn, id, Column::ExpiresAt, at.as_millis()).await?;
    Ok(true)
}

/// Sets or removes the monthly cap. Returns whether the key exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_monthly_cap(
    txn: &WriteTxn,
    tenant: &Tenant,
    id: &KeyId,
    cap: Option<Cents>,
) -> Result<bool> {
    if find(txn, tenant, id).await?.is_none() {
        return Ok(false);
    }
    set(txn, id, Column::MonthlyCapCents, cap).await?;
    Ok(true)
}

/// Changes of a key; `None` keeps the value.
#[derive(Debug, Clone, Default)]
pub struct KeyChange {
    /// Display name.
    pub name: Option<String>,
    /// Granted scopes.
    pub scopes: Option<Vec<Scope>>,
    /// Monthly cap; `Some(None)` removes it.
    pub monthly_cap_cents: Option<Option<Cents>>,
}

/// Changes a key and returns it, or `None` if it does not exist.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn change(
    txn: &WriteTxn,
    tenant: &Tenant,
    id: &KeyId,
    change: &KeyChange,
) -> Result<Option<Model>> {
    if find(txn, tenant, id).await?.is_none() {
        return Ok(None);
    }
    if let Some(name) = &change.name {
        set(txn, id, Column::Name, name.as_str()).await?;
    }
    if let Some(scopes) = &change.scopes {
        set(txn, id, Column::Scopes, Json(scopes.clone())).await?;
    }
    if let Some(cap) = change.monthly_cap_cents {
        set(txn, id, Column::MonthlyCapCents, cap).await?;
    }
    find(txn, tenant, id).await
}

async fn set(txn: &WriteTxn, id: &KeyId, column: Column, value: impl Into<Value>) -> Result<()> {
    let update =
        Entity::update_many().col_expr(column, Expr::value(value)).filter(Column::Id.eq(id.as_str()));
    update.exec(txn.conn()).await?;
    Ok(())
}
