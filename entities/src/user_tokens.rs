//! Tokens that are mailed to people. Only their hashes are stored; each is good once, and not for long.

use domain::{Timestamp, Token, TokenPurpose, UserId};
use sea_orm::entity::prelude::*;

use crate::{Millis, Reader, Result, Text, UserRow, WriteTxn, table, users};

/// A token.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_tokens")]
pub struct Model {
    /// SHA-256 of the secret, hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub secret_hash: String,
    /// Whom it was mailed to.
    pub user_id: Text<UserId>,
    /// What it is good for.
    pub purpose: Text<TokenPurpose>,
    /// When it was made.
    pub created_at: Millis,
    /// When it ends.
    pub expires_at: Millis,
    /// When it was used, or ended because another was.
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

/// Makes a token for a user. Earlier ones stay good: the messages that carry them may arrive in any order.
///
/// # Errors
/// Of the database.
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

/// Whose token this is, while it is good. This is how a user is found, so there is no tenant to ask for.
///
/// # Errors
/// Of the database.
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

/// Uses a token: it, and the user's others of this purpose, are good no more. `None` when it was not good
/// any more itself; of several at once, one is let through. The user is locked before the token is.
///
/// # Errors
/// Of the database.
pub async fn redeem(
    txn: &WriteTxn,
    secret: &Token,
    purpose: TokenPurpose,
    now: Timestamp,
) -> Result<Option<UserRow>> {
    let Some(user) = holder(txn, secret, purpose, now).await? else { return Ok(None) };
    let Some(user) = users::lock(txn, &user.id).await? else { return Ok(None) };
    // Asked again: who held the lock before may have used it.
    if holder(txn, secret, purpose, now).await?.is_none() {
        return Ok(None);
    }
    end_all(txn, &user.id, purpose, now).await?;
    Ok(Some(user))
}

/// Ends every token of a user that is for this purpose.
///
/// # Errors
/// Of the database.
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

/// Forgets tokens whose time was over before `before`, used or not; answers how many.
///
/// # Errors
/// Of the database.
pub async fn purge(txn: &WriteTxn, before: Timestamp) -> Result<u64> {
    let over = Entity::delete_many().filter(Column::ExpiresAt.lt(before.as_millis()));
    Ok(over.exec(txn.conn()).await?.rows_affected)
}
