//! How a relay claims entries that are due.

use std::time::Duration;

use domain::Timestamp;
use sea_orm::{
    ConnectionTrait, DbBackend, ExprTrait, QueryOrder, QuerySelect, Statement, entity::prelude::*,
};

use super::{Column, Entity, Kind, Model};
use crate::{Db, Error, Reader, Result};

/// Claims up to `limit` due entries of a kind, those that are due longest, and hides them from other
/// relays for `lease`. An entry for which none of [`complete`](super::complete),
/// [`retry_later`](super::retry_later) and [`record_failure`](super::record_failure) was called by then is due again.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn claim_due(
    db: &Db,
    kind: Kind,
    limit: u64,
    now: Timestamp,
    lease: Duration,
) -> Result<Vec<Model>> {
    match db.backend() {
        DbBackend::Postgres => claim_in_one_statement(db, kind, limit, now, now.plus(lease)).await,
        _ => claim_in_transaction(db, kind, limit, now, now.plus(lease)).await,
    }
}

/// Claims entries on PostgreSQL with one round trip, because a busy relay claims for each free slot.
async fn claim_in_one_statement(
    db: &Db,
    kind: Kind,
    limit: u64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Model>> {
    // The array makes the planner select the entries once with any statistics.
    let statement = "UPDATE outbox SET next_attempt_at = $1, attempts = attempts + 1 \
                     WHERE id = ANY(ARRAY(SELECT id FROM outbox WHERE kind = $2 AND done_at IS NULL \
                     AND parked_at IS NULL AND next_attempt_at <= $3 ORDER BY next_attempt_at, id LIMIT $4 \
                     FOR UPDATE SKIP LOCKED)) RETURNING *";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = [until.as_millis().into(), kind.as_str().into(), now.as_millis().into(), limit.into()];
    let claim = Statement::from_sql_and_values(DbBackend::Postgres, statement, values);
    let mut rows = Entity::find().from_raw_sql(claim).all(db.conn()).await?;
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// Claims entries on SQLite, where one writer at a time makes locks on rows unnecessary.
async fn claim_in_transaction(
    db: &Db,
    kind: Kind,
    limit: u64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Model>> {
    // Takes no write lock first, because another relay may have claimed the entries.
    if due(kind, now).one(db.conn()).await?.is_none() {
        return Ok(Vec::new());
    }
    db.write(async |txn| {
        let oldest = due(kind, now).order_by_asc(Column::NextAttemptAt).order_by_asc(Column::Id);
        let mut rows = oldest.limit(limit).all(txn.conn()).await?;
        Entity::update_many()
            .col_expr(Column::NextAttemptAt, Expr::value(until.as_millis()))
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1))
            .filter(Column::Id.is_in(rows.iter().map(|row| row.id)))
            .exec(txn.conn())
            .await?;
        for row in &mut rows {
            row.attempts += 1;
            row.next_attempt_at = until.into();
        }
        Ok(rows)
    })
    .await
}

/// Returns the kinds that have an entry that a relay may claim. One read serves all kinds.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn kinds_due(reader: &impl Reader, now: Timestamp) -> Result<Vec<Kind>> {
    // One probe of the index `outbox_due` for each kind. `DISTINCT` would read every due entry.
    let probe = |kind: Kind| {
        format!(
            "SELECT * FROM (SELECT kind FROM outbox WHERE kind = '{}' AND done_at IS NULL \
             AND parked_at IS NULL AND next_attempt_at <= $1 LIMIT 1) AS {0}",
            kind.as_str()
        )
    };
    let statement = Statement::from_sql_and_values(
        reader.conn().get_database_backend(),
        Kind::ALL.map(probe).join(" UNION ALL "),
        [now.as_millis().into()],
    );
    let rows = reader.conn().query_all_raw(statement).await?;
    rows.iter()
        .map(|row| {
            let name: String = row.try_get_by_index(0)?;
            Kind::parse(&name).ok_or_else(|| Error::corrupt(format!("unknown outbox kind {name}")))
        })
        .collect()
}

/// Wakes the relays of this process for every kind that has a due entry.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn wake_due(db: &Db, now: Timestamp) -> Result<()> {
    for kind in kinds_due(db, now).await? {
        db.wakeups().wake(kind);
    }
    Ok(())
}

/// Selects the entries of a kind that a relay may claim.
fn due(kind: Kind, now: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::Kind.eq(kind.as_str()))
        .filter(Column::DoneAt.is_null())
        .filter(Column::ParkedAt.is_null())
        .filter(Column::NextAttemptAt.lte(now.as_millis()))
}
