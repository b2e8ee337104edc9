//! Console sessions of users.

use std::{collections::HashSet, time::Duration};

use domain::{SessionId, Timestamp, Token, UserId};
use sea_orm::{ExprTrait, QueryOrder, entity::prelude::*, sea_query::IntoCondition};

use crate::{AccountRow, Db, Millis, Reader, Result, Text, UserRow, WriteTxn, client, table};

/// Minimum time between two writes of `last_seen_at`.
const LAST_SEEN_RESOLUTION: Duration = Duration::from_secs(60);

/// Maximum number of ids in one query.
const IDS: usize = 256;

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
    /// Time at which the user entered the password again.
    pub authenticated_at: Option<Millis>,
    /// IP address of the log-in.
    pub client_address: Option<String>,
    /// `User-Agent` of the log-in.
    pub user_agent: Option<String>,
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

impl Model {
    /// Returns when the user last entered the password.
    pub fn last_authenticated_at(&self) -> Timestamp {
        self.authenticated_at.map_or(self.created_at.0, |at| at.0)
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
    let client = client::current();
    let session = Model {
        id: SessionId::new().into(),
        user_id: Text::from(user),
        secret_hash: secret.hash(),
        created_at: now.into(),
        last_seen_at: now.into(),
        expires_at: now.plus(lifetime).into(),
        revoked_at: None,
        authenticated_at: None,
        client_address: client.address,
        user_agent: client.user_agent,
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
    for session in unexpired(user, now).all(txn.conn()).await?.iter().skip(max) {
        revoke(txn, &session.id, now).await?;
    }
    Ok(())
}

/// Returns the sessions of a user that are valid now, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_active(
    reader: &impl Reader,
    user: &UserId,
    idle: Duration,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let mut sessions = unexpired(user, now).all(reader.conn()).await?;
    sessions.retain(|session| session.is_active(now, idle));
    Ok(sessions)
}

/// Returns those of the sessions that have not ended. Reading a stream is a use, so idle time does
/// not count.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_unexpired(
    reader: &impl Reader,
    ids: &[SessionId],
    now: Timestamp,
) -> Result<HashSet<SessionId>> {
    let mut open = HashSet::new();
    for batch in ids.chunks(IDS) {
        let batch = table::pad_to_power_of_two(batch.iter().map(SessionId::as_str).collect());
        let rows = Entity::find()
            .filter(Column::Id.is_in(batch))
            .filter(Column::RevokedAt.is_null())
            .filter(Column::ExpiresAt.gt(now.as_millis()));
        open.extend(rows.all(reader.conn()).await?.into_iter().map(|session| session.id.0));
    }
    Ok(open)
}

fn unexpired(user: &UserId, now: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::UserId.eq(user.as_str()))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now.as_millis()))
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
}

/// Records that the user of a session entered the password again.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_authenticated(txn: &WriteTxn, id: &SessionId, now: Timestamp) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::AuthenticatedAt, Expr::value(now.as_millis()))
        .filter(Column::Id.eq(id.as_str()))
        .exec(txn.conn())
        .await?;
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

/// Ends all sessions of a user but one.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke_others(txn: &WriteTxn, user: &UserId, kept: &SessionId, now: Timestamp) -> Result<()> {
    end(txn, Column::UserId.eq(user.as_str()).and(Column::Id.ne(kept.as_str())), now).await
}

/// Ends a session of a user. Returns whether the user had this session.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke_of_user(txn: &WriteTxn, user: &UserId, id: &SessionId, now: Timestamp) -> Result<bool> {
    let of_user = Entity::find_by_id(Text::from(id)).filter(Column::UserId.eq(user.as_str()));
    if of_user.one(txn.conn()).await?.is_none() {
        return Ok(false);
    }
    revoke(txn, id, now).await?;
    Ok(true)
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
