//! Console sessions of users.

use std::time::Duration;

use domain::{SessionId, Timestamp, Token, UserId};
use sea_orm::{QueryOrder, entity::prelude::*, sea_query::IntoCondition};

use crate::{AccountRow, Db, Millis, Reader, Result, Text, UserRow, WriteTxn, table};

/// Minimum time between two writes of `last_seen_at`.
const LAST_SEEN_RESOLUTION: Duration = Duration::from_secs(60);

/// A session. Only the hash of its secret is stored.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    /// Prefix `ses_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<SessionId>,
    /// The user who logged in.
    pub user_id: Text<UserId>,
    /// SHA-256 of the cookie's secret, in hex.
    pub secret_hash: String,
    /// Time of the login.
    pub created_at: Millis,
    /// Time of the last use, accurate to one minute.
    pub last_seen_at: Millis,
    /// Time at which it expires regardless of use.
    pub expires_at: Millis,
    /// Time at which it was ended early.
    pub revoked_at: Option<Millis>,
}

no_relations!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("user_id", &self.user_id)
            .finish_non_exhaustive()
    }
}

impl Model {
    /// Returns whether the session is valid now. A session that is unused for `idle` is not.
    pub fn is_active(&self, now: Timestamp, idle: Duration) -> bool {
        self.revoked_at.is_none() && now < self.expires_at.0 && now < self.last_seen_at.0.plus(idle)
    }
}

/// A session with its user and account.
#[derive(Debug, Clone)]
pub struct SessionOwner {
    /// The session.
    pub session: Model,
    /// The user who logged in.
    pub user: UserRow,
    /// The account the user acts for.
    pub account: AccountRow,
}

/// Creates a session of a user that expires after `lifetime`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn open(
    txn: &WriteTxn,
    user: &UserId,
    secret: &Token,
    lifetime: Duration,
    now: Timestamp,
) -> Result<Model> {
    let session = Model {
        id: SessionId::new().into(),
        user_id: Text::from(user),
        secret_hash: secret.hash(),
        created_at: now.into(),
        last_seen_at: now.into(),
        expires_at: now.plus(lifetime).into(),
        revoked_at: None,
    };
    table::insert(txn, session.clone()).await?;
    Ok(session)
}

/// Ends the oldest active sessions of a user until at most `max` remain. The caller holds the
/// user's lock, so that two concurrent logins cannot both exceed the limit.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke_oldest(txn: &WriteTxn, user: &UserId, max: usize, now: Timestamp) -> Result<()> {
    let active = Entity::find()
        .filter(Column::UserId.eq(user.as_str()))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now.as_millis()))
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id);
    for session in active.all(txn.conn()).await?.iter().skip(max) {
        revoke(txn, &session.id, now).await?;
    }
    Ok(())
}

/// Returns the session whose secret has this hash, unless it has ended or was unused for `idle`.
/// This lookup identifies the account, so it takes no tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_active_by_secret_hash(
    reader: &impl Reader,
    secret_hash: &str,
    idle: Duration,
    now: Timestamp,
) -> Result<Option<SessionOwner>> {
    let found = Entity::find().filter(Column::SecretHash.eq(secret_hash)).one(reader.conn()).await?;
    let Some(session) = found.filter(|session| session.is_active(now, idle)) else { return Ok(None) };
    let Some(user) = crate::users::find(reader, &session.user_id).await? else { return Ok(None) };
    let Some(account) = crate::accounts::find(reader, &user.account_id).await? else { return Ok(None) };
    Ok(Some(SessionOwner { session, user, account }))
}

/// Records a use of the session, at most once a minute.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn touch(db: &Db, session: &Model, now: Timestamp) -> Result<()> {
    let stale_before = now.minus(LAST_SEEN_RESOLUTION);
    if session.last_seen_at.0 > stale_before {
        return Ok(());
    }
    let id = session.id.clone();
    db.write(async |txn| {
        Entity::update_many()
            .col_expr(Column::LastSeenAt, Expr::value(now.as_millis()))
            .filter(Column::Id.eq(id.as_str()))
            .filter(Column::LastSeenAt.lte(stale_before.as_millis()))
            .exec(txn.conn())
            .await?;
        Ok(())
    })
    .await
}

/// Ends a session. A session that has ended keeps its end time.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke(txn: &WriteTxn, id: &SessionId, now: Timestamp) -> Result<()> {
    end(txn, Column::Id.eq(id.as_str()), now).await
}

/// Ends all sessions of a user.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke_all(txn: &WriteTxn, user: &UserId, now: Timestamp) -> Result<()> {
    end(txn, Column::UserId.eq(user.as_str()), now).await
}

async fn end(txn: &WriteTxn, sessions: impl IntoCondition, now: Timestamp) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now.as_millis()))
        .filter(sessions)
        .filter(Column::RevokedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(())
}
