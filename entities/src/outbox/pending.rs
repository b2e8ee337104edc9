//! Entries that are not completed, for operators and for checks, and how they become due at once.

use domain::Timestamp;
use sea_orm::{FromQueryResult, QueryOrder, QuerySelect, entity::prelude::*};

use super::{Column, Entity, Kind, MAX_LEASE, Model, notify::announce};
use crate::{Millis, Reader, Result, WriteTxn};

/// A pending entry, without its payload, which may contain personal data.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Pending {
    /// Kind of the work. A text, because another version may have written it.
    pub kind: String,
    /// Id of the affected object.
    pub subject: String,
    /// Number of times it was claimed.
    pub attempts: i64,
    /// Number of failed attempts since the last one that succeeded.
    pub failures: i64,
    /// The last failure.
    pub last_error: Option<String>,
    /// Creation time.
    pub created_at: Millis,
    /// Time at which it is due next, unless it is parked.
    pub next_attempt_at: Millis,
    /// Time at which it was parked.
    pub parked_at: Option<Millis>,
}

/// Returns up to `limit` entries that are not completed, or only the parked ones, oldest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_pending(reader: &impl Reader, only_parked: bool, limit: u64) -> Result<Vec<Pending>> {
    let mut rows = Entity::find().filter(Column::DoneAt.is_null());
    if only_parked {
        rows = rows.filter(Column::ParkedAt.is_not_null());
    }
    let rows = rows.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id).limit(limit);
    Ok(rows.into_model::<Pending>().all(reader.conn()).await?)
}

/// Returns up to `limit` entries of a kind that were created before `before` and are neither done nor
/// parked, oldest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_unfinished(
    reader: &impl Reader,
    kind: Kind,
    before: Timestamp,
    limit: u64,
) -> Result<Vec<Model>> {
    let rows = Entity::find()
        .filter(Column::Kind.eq(kind.as_str()))
        .filter(Column::DoneAt.is_null())
        .filter(Column::ParkedAt.is_null())
        .filter(Column::CreatedAt.lt(before.as_millis()));
    Ok(rows.order_by_asc(Column::NextAttemptAt).limit(limit).all(reader.conn()).await?)
}

/// Makes an entry that waits for its next attempt due at once. Returns whether it was waiting. An
/// entry that a relay may be processing is left unchanged.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn retry_now(txn: &WriteTxn, entry: &Model, now: Timestamp) -> Result<bool> {
    let update = Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(now.as_millis()))
        .filter(Column::Id.eq(entry.id))
        .filter(Column::DoneAt.is_null())
        .filter(Column::ParkedAt.is_null())
        .filter(Column::NextAttemptAt.gt(now.plus(MAX_LEASE).as_millis()));
    let was_waiting = update.exec(txn.conn()).await?.rows_affected > 0;
    if was_waiting {
        announce(txn, entry.kind.0).await?;
    }
    Ok(was_waiting)
}

/// Makes a parked entry due at once, with a new series of attempts. Returns whether it was parked.
/// Entries that are not parked are left unchanged, because a relay may be processing them.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn retry_parked(txn: &WriteTxn, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    let update = Entity::update_many()
        .col_expr(Column::ParkedAt, Expr::value(None::<i64>))
        .col_expr(Column::Failures, Expr::value(0))
        .col_expr(Column::NextAttemptAt, Expr::value(now.as_millis()))
        .filter(Column::Kind.eq(kind.as_str()))
        .filter(Column::Subject.eq(subject))
        .filter(Column::DoneAt.is_null())
        .filter(Column::ParkedAt.is_not_null());
    let was_parked = update.exec(txn.conn()).await?.rows_affected > 0;
    if was_parked {
        announce(txn, kind).await?;
    }
    Ok(was_parked)
}

/// Returns the entry of this kind and subject, completed or not.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, kind: Kind, subject: &str) -> Result<Option<Model>> {
    let row = Entity::find().filter(Column::Kind.eq(kind.as_str())).filter(Column::Subject.eq(subject));
    Ok(row.one(reader.conn()).await?)
}

/// Returns whether an entry exists and is not completed.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn is_pending(reader: &impl Reader, kind: Kind, subject: &str) -> Result<bool> {
    Ok(find(reader, kind, subject).await?.is_some_and(|row| row.done_at.is_none()))
}
