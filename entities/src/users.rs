//! Users: the people who log in.

use domain::{AccountId, Timestamp, UserId, mode::Tenant};
use sea_orm::{IntoActiveModel, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table};

/// A person who can log in.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    /// Prefix `usr_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<UserId>,
    /// The account the user acts for.
    pub account_id: Text<AccountId>,
    /// Mail address in lower case, unique.
    pub email: String,
    /// Argon2id hash; `None` if the user cannot log in with a password.
    pub password_hash: Option<String>,
    /// Whether the operator marked the user as professional.
    pub is_pro: bool,
    /// Time at which the address was confirmed.
    pub email_confirmed_at: Option<Millis>,
    /// Time of the sign-up.
    pub created_at: Millis,
}

no_relations!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User")
            .field("id", &self.id)
            .field("account_id", &self.account_id)
            .finish_non_exhaustive()
    }
}

/// Normalizes an address as it is stored and looked up.
pub fn normalize_email(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Returns the user with this address, ignoring case.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_email(reader: &impl Reader, email: &str) -> Result<Option<Model>> {
    Ok(Entity::find().filter(Column::Email.eq(normalize_email(email))).one(reader.conn()).await?)
}

/// Returns the user with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, id: &UserId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
}

/// Returns the user with this id and locks it until the transaction ends. Code that logs the user
/// in or changes the password holds this lock.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn lock(txn: &WriteTxn, id: &UserId) -> Result<Option<Model>> {
    use sea_orm::{QuerySelect, sea_query::LockType};
    Ok(Entity::find_by_id(Text::from(id)).lock(LockType::NoKeyUpdate).one(txn.conn()).await?)
}

/// Returns the users of an account, oldest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn of_account(reader: &impl Reader, account: &AccountId) -> Result<Vec<Model>> {
    use sea_orm::QueryOrder;
    let rows = Entity::find().filter(Column::AccountId.eq(account.as_str()));
    Ok(rows.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id).all(reader.conn()).await?)
}

/// Returns whether an account may use free scans and create credentials in this mode. Live mode
/// requires a user with a confirmed address, so that a stranger's address is good for nothing.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn is_cleared_for(reader: &impl Reader, tenant: &Tenant) -> Result<bool> {
    if !tenant.mode.livemode() {
        return Ok(true);
    }
    let users = of_account(reader, &tenant.account_id).await?;
    Ok(users.iter().any(|user| user.email_confirmed_at.is_some()))
}

/// Sets whether a user is professional. Returns whether the user exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_pro(txn: &WriteTxn, id: &UserId, is_pro: bool) -> Result<bool> {
    update(txn, id, Column::IsPro, is_pro).await
}

/// Replaces the password hash. Returns whether the user exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_password(txn: &WriteTxn, id: &UserId, password_hash: &str) -> Result<bool> {
    update(txn, id, Column::PasswordHash, password_hash).await
}

/// Replaces the address, which was confirmed. Returns whether the user exists.
///
/// # Errors
/// Returns an error if the database fails, also if the address is taken.
pub(crate) async fn set_email(txn: &WriteTxn, id: &UserId, email: &str, now: Timestamp) -> Result<bool> {
    update(txn, id, Column::Email, email).await?;
    confirm_email(txn, id, now).await
}

/// Records that the address was confirmed. Returns whether the user exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn confirm_email(txn: &WriteTxn, id: &UserId, now: Timestamp) -> Result<bool> {
    update(txn, id, Column::EmailConfirmedAt, now.as_millis()).await
}

async fn update(txn: &WriteTxn, id: &UserId, column: Column, value: impl Into<Value>) -> Result<bool> {
    let update =
        Entity::update_many().col_expr(column, Expr::value(value)).filter(Column::Id.eq(id.as_str()));
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Inserts the user unless the address is taken.
pub(crate) async fn insert_if_free(txn: &WriteTxn, user: &Model) -> Result<bool> {
    table::insert_new(txn, user.clone().into_active_model(), [Column::Email]).await
}
