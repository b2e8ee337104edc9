//! Tokens sent by mail. Only their hashes are stored. Each token is short-lived and valid once.

use domain::{Timestamp, Token, TokenPurpose, UserId};
use sea_orm::entity::prelude::*;

use crate::{Millis, Reader, Result, Text, UserRow, WriteTxn, table, users};

/// A mailed token.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_tokens")]
pub struct Model {
    /// SHA-256 of the secret, in hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub secret_hash: String,
    /// The receiving user.
    pub user_id: Text<UserId>,
    /// Purpose of the token.
    pub purpose: Text<TokenPurpose>,
    /// Creation time.
    pub created_at: Millis,
    /// Expiry time.
    pub expires_at: Millis,
    /// Time at which it was used, or invalidated by the use of another token.
    pub used_at: Option<Millis>,
}

no_relations!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UserToken")
            .field("user_id", &self.user_id)
            .field("purpose", &self.purpose)
            .finish_non_exhaustive()
    }
}

/// Creates a token for a user. Earlier tokens stay valid, because messages may arrive in any order.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn issue(txn: &WriteTxn, user: &UserId, purpose: TokenPurpose, now: Timestamp) -> Result<Token> {
    let secret = Token::generate();
    let token = Model {
        secret_hash: secret.hash(),
        user_id: Text::from(user),
        purpose: purpose.into(),
        created_at: now.into(),
        expires_at: now.plus(purpose.lifetime()).into(),
        used_at: None,
    };
    table::insert(txn, token).await?;
    Ok(secret)
}

/// Returns the user of a valid token. This lookup identifies the user, so it takes no tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn holder(
    reader: &impl Reader,
    secret: &Token,
    purpose: TokenPurpose,
    now: Timestamp,
) -> Result<Option<UserRow>> {
    let token = Entity::find_by_id(secret.hash())
        .filter(Column::Purpose.eq(purpose.as_str()))
        .filter(Column::UsedAt.is_null())
        .filter(Column::ExpiresAt.gt(now.as_millis()));
    match token.one(reader.conn()).await? {
        Some(token) => users::find(reader, &token.user_id).await,
        None => Ok(None),
    }
}

/// Uses a token and invalidates the user's other tokens of the same purpose. Returns `None` if the
/// token is not valid. Of several concurrent calls, one succeeds. The user is locked before the
/// token.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn redeem(
    txn: &WriteTxn,
    secret: &Token,
    purpose: TokenPurpose,
    now: Timestamp,
) -> Result<Option<UserRow>> {
    let Some(user) = holder(txn, secret, purpose, now).await? else { return Ok(None) };
    let Some(user) = users::lock(txn, &user.id).await? else { return Ok(None) };
    // Read again: a concurrent call may have used the token before the lock was acquired.
    if holder(txn, secret, purpose, now).await?.is_none() {
        return Ok(None);
    }
    end_all(txn, &user.id, purpose, now).await?;
    Ok(Some(user))
}

/// Invalidates all tokens of a user for this purpose.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn end_all(txn: &WriteTxn, user: &UserId, purpose: TokenPurpose, now: Timestamp) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::UsedAt, Expr::value(now.as_millis()))
        .filter(Column::UserId.eq(user.as_str()))
        .filter(Column::Purpose.eq(purpose.as_str()))
        .filter(Column::UsedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(())
}
