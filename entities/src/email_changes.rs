//! Changes of e-mail addresses that wait for the confirmation of the new address. Only the hashes of
//! the mailed tokens are stored.

use std::time::Duration;

use domain::{Timestamp, Token, UserId};
use sea_orm::entity::prelude::*;

use crate::{Millis, Reader, Result, Text, UserRow, WriteTxn, table, users};

/// Time for which a mailed token is valid.
pub const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// A requested change.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "email_changes")]
pub struct Model {
    /// SHA-256 of the secret, in hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub secret_hash: String,
    /// The user whose address changes.
    pub user_id: Text<UserId>,
    /// The new address, in lower case.
    pub email: String,
    /// Creation time.
    pub created_at: Millis,
    /// Expiry time.
    pub expires_at: Millis,
    /// Time at which it was used, or invalidated by another change.
    pub used_at: Option<Millis>,
}

no_relations!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmailChange").field("user_id", &self.user_id).finish_non_exhaustive()
    }
}

/// Creates the token of a change.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn issue(txn: &WriteTxn, user: &UserId, email: &str, now: Timestamp) -> Result<Token> {
    let secret = Token::generate();
    let change = Model {
        secret_hash: secret.hash(),
        user_id: Text::from(user),
        email: users::normalize_email(email),
        created_at: now.into(),
        expires_at: now.plus(LIFETIME).into(),
        used_at: None,
    };
    table::insert(txn, change).await?;
    Ok(secret)
}

/// Changes the address of a user and invalidates the user's other requested changes. Returns the user
/// before the change, or `None` if the token is not valid or the address is taken. Of several
/// concurrent calls, one succeeds.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn redeem(txn: &WriteTxn, secret: &Token, now: Timestamp) -> Result<Option<(UserRow, String)>> {
    let Some(change) = valid(txn, secret, now).await? else { return Ok(None) };
    let Some(user) = users::lock(txn, &change.user_id).await? else { return Ok(None) };
    // Read again: a concurrent call may have used the token before the lock was acquired.
    if valid(txn, secret, now).await?.is_none() || users::find_by_email(txn, &change.email).await?.is_some() {
        return Ok(None);
    }
    end_all(txn, &user.id, now).await?;
    users::set_email(txn, &user.id, &change.email, now).await?;
    Ok(Some((user, change.email)))
}

/// Invalidates all requested changes of a user.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn end_all(txn: &WriteTxn, user: &UserId, now: Timestamp) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::UsedAt, Expr::value(now.as_millis()))
        .filter(Column::UserId.eq(user.as_str()))
        .filter(Column::UsedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(())
}

async fn valid(reader: &impl Reader, secret: &Token, now: Timestamp) -> Result<Option<Model>> {
    let change = Entity::find_by_id(secret.hash())
        .filter(Column::UsedAt.is_null())
        .filter(Column::ExpiresAt.gt(now.as_millis()));
    Ok(change.one(reader.conn()).await?)
}
