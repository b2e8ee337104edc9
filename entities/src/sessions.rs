//! Console sessions: who is logged in.

use std::time::Duration;

use domain::{SessionId, Timestamp, Token, UserId};
use sea_orm::{QueryOrder, entity::prelude::*, sea_query::IntoCondition};

use crate::{AccountRow, Db, Millis, Reader, Result, Text, UserRow, WriteTxn, table};

/// How old `last_seen_at` may get before a use is written again.
const LAST_SEEN_RESOLUTION: Duration = Duration::from_secs(60);

/// A session. Only the hash of its secret is stored.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    /// Prefix `ses_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<SessionId>,
    /// Who logged in.
    pub user_id: Text<UserId>,
    /// SHA-256 of the cookie's secret, hex.
    pub secret_hash: String,
    /// When it began.
    pub created_at: Millis,
    /// When it was last used, to the minute.
    pub last_seen_at: Millis,
    /// When it ends, however much it is used.
    pub expires_at: Millis,
    /// When it was ended before.
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
    /// Whether it is accepted at this moment, when one that is not used for `idle` ends.
    pub fn is_active(&self, now: Timestamp, idle: Duration) -> bool {
        self.revoked_at.is_none() && now < self.expires_at.0 && now < self.last_seen_at.0.plus(idle)
    }
}

/// A session and whose it is.
#[derive(Debug, Clone)]
pub struct SessionOwner {
    /// The session.
    pub session: Model,
    /// Who logged in.
    pub user: UserRow,
    /// The account they act for.
    pub account: AccountRow,
}

/// Begins a session of a user, for at most `lifetime`.
///
/// # Errors
/// Of the database.
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

/// Ends the oldest sessions of a user until at most `most` are left that go on. The caller holds the user's
/// lock, so that two log-ins at once do not both find room.
///
/// # Errors
/// Of the database.
pub async fn make_room(txn: &WriteTxn, user: &UserId, most: usize, now: Timestamp) -> Result<()> {
    let open = Entity::find()
        .filter(Column::UserId.eq(user.as_str()))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now.as_millis()))
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id);
    for session in open.all(txn.conn()).await?.iter().skip(most) {
        revoke(txn, &session.id, now).await?;
    }
    Ok(())
}

/// Forgets sessions whose time was over before `before`, however they ended; answers how many.
///
/// # Errors
/// Of the database.
pub async fn purge(txn: &WriteTxn, before: Timestamp) -> Result<u64> {
    let over = Entity::delete_many().filter(Column::ExpiresAt.lt(before.as_millis()));
    Ok(over.exec(txn.conn()).await?.rows_affected)
}

/// The session whose secret has this hash, if it is neither ended nor unused for `idle`. This is how an
/// account is found, so it has none to ask for.
///
/// # Errors
/// Of the database.
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

/// Records that the session was used, at most once a minute: most calls write nothing.
///
/// # Errors
/// Of the database.
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

/// Ends a session; one that was ended already keeps its first time.
///
/// # Errors
/// Of the database.
pub async fn revoke(txn: &WriteTxn, id: &SessionId, now: Timestamp) -> Result<()> {
    end(txn, Column::Id.eq(id.as_str()), now).await
}

/// Ends every session of a user.
///
/// # Errors
/// Of the database.
pub async fn revoke_all(txn: &WriteTxn, user: &UserId, now: Timestamp) -> Result<()> {
    end(txn, Column::UserId.eq(user.as_str()), now).await
}

async fn end(txn: &WriteTxn, which: impl IntoCondition, now: Timestamp) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now.as_millis()))
        .filter(which)
        .filter(Column::RevokedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(())
}
