//! API keys: what servers authenticate with.

use std::{collections::HashMap, time::Duration};

use domain::{
    AccountId, KeyId, Timestamp, UserId,
    mode::Tenant,
    money::Cents,
    page::{Keyset, Page, PageRequest},
    scope::Scope,
};
use sea_orm::{Condition, entity::prelude::*};

use crate::{Db, Json, Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// How old `last_used_at` may get before a use is written again.
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
    /// The user who made it.
    pub user_id: Text<UserId>,
    /// Live or test.
    pub livemode: bool,
    /// Shown in the console.
    pub name: String,
    /// The beginning of the secret, to tell keys apart.
    pub hint: String,
    /// SHA-256 of the secret, hex.
    pub secret_hash: String,
    /// What it may do.
    pub scopes: Json<Vec<Scope>>,
    /// Most that scans started with it may cost in a calendar month (UTC).
    pub monthly_cap_cents: Option<Cents>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Millis>,
    /// From when on it is refused, for keys that end by themselves.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
    /// When it was made.
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
    /// Whether it is accepted at this moment.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end.0)
    }

    /// Whether a use at this moment is to be written down: not when the last one that was is fresh.
    pub fn is_use_news(&self, now: Timestamp) -> bool {
        self.last_used_at.is_none_or(|at| at.0 <= now.minus(LAST_USED_RESOLUTION))
    }

    /// Whether it may do this.
    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// The keys whose secrets have these hashes, by hash: revoked and expired ones, too. This is how a tenant is found, so it
/// is the one look-up that has none to ask for.
///
/// # Errors
/// Of the database.
pub async fn of_secret_hashes(reader: &impl Reader, hashes: &[String]) -> Result<HashMap<String, Model>> {
    let rows =
        Entity::find().filter(Column::SecretHash.is_in(table::pad_to_power_of_two(hashes.iter().collect())));
    let found = rows.all(reader.conn()).await?;
    Ok(found.into_iter().map(|key| (key.secret_hash.clone(), key)).collect())
}

/// Records that the key was used, at most once a minute: most calls write nothing.
///
/// # Errors
/// Of the database.
pub async fn touch_last_used(db: &Db, key: &Model, now: Timestamp) -> Result<()> {
    if !key.is_use_news(now) {
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

/// Writes a new key.
///
/// # Errors
/// [`crate::Error::AccountClosed`]; of the database.
pub async fn insert(txn: &WriteTxn, key: &Model) -> Result<()> {
    crate::accounts::require_open(txn, &key.account_id).await?;
    table::insert(txn, key.clone()).await
}

/// The key with this id.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &KeyId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// The keys of an account and mode, newest first, the revoked ones among them.
///
/// # Errors
/// Of the database.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    let columns = (Column::CreatedAt, Column::Id);
    table::page(reader, Entity::of(tenant), columns, request, |row| Keyset {
        created_at: row.created_at.as_millis(),
        id: row.id.to_string(),
    })
    .await
}

/// Revokes a key. Says whether there is such a key; one that is revoked already keeps its first time.
///
/// # Errors
/// Of the database.
pub async fn revoke(txn: &WriteTxn, tenant: &Tenant, id: &KeyId, now: Timestamp) -> Result<bool> {
    let Some(key) = find(txn, tenant, id).await? else { return Ok(false) };
    if key.revoked_at.is_none() {
        set(txn, id, Column::RevokedAt, now.as_millis()).await?;
    }
    Ok(true)
}

/// Lets a key end at `at` (for rolling with an overlap). Says whether there is such a key.
///
/// # Errors
/// Of the database.
pub async fn expire_at(txn: &WriteTxn, tenant: &Tenant, id: &KeyId, at: Timestamp) -> Result<bool> {
    if find(txn, tenant, id).await?.is_none() {
        return Ok(false);
    }
    set(txn, id, Column::ExpiresAt, at.as_millis()).await?;
    Ok(true)
}

/// Sets or removes the monthly cap. Says whether there is such a key.
///
/// # Errors
/// Of the database.
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

/// What of a key can be changed; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct KeyChange {
    /// What it is called.
    pub name: Option<String>,
    /// What it may do.
    pub scopes: Option<Vec<Scope>>,
    /// Its monthly cap, or none.
    pub monthly_cap_cents: Option<Option<Cents>>,
}

/// Changes a key. Answers the key as it is then; `None` when there is no such key.
///
/// # Errors
/// Of the database.
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
