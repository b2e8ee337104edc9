//! The transactional outbox: work outside the database, for example starting a workflow.
//!
//! An entry is written in the transaction that makes the work necessary. The committing process
//! often does the work immediately and completes the entry. The relay claims the other entries when
//! they are due. The work must be idempotent, because a process may die between doing the work and
//! completing the entry.
//!
//! A failed entry is tried again, less and less often. An entry that keeps failing is parked if its
//! kind may be ([`Kind::may_park`]): it is not tried again until an operator calls [`retry_parked`].

pub(crate) mod kind;
mod notify;
pub(crate) mod wakeups;

use std::time::Duration;

use domain::Timestamp;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ConnectionTrait, DbBackend, ExprTrait, FromQueryResult, QueryOrder, QuerySelect, Statement, UpdateMany,
    entity::prelude::*,
};

pub use kind::Kind;
use notify::announce;
pub use notify::{listen, subscribe};

use crate::{Db, Error, LenientJson, Millis, Reader, Result, Text, WriteTxn, table};

/// Time in which only the committing process does the work. The relay claims the entry afterwards.
pub const INLINE_GRACE: Duration = Duration::from_secs(5);
/// Time between the end of a scan and the second deletion of its uploads. Upload URLs are valid for
/// one hour, and an upload that began before their expiry may take another hour.
pub const SWEEP_AFTER: Duration = Duration::from_secs(2 * 60 * 60);
/// Maximum time for which a relay claims an entry.
pub const MAX_LEASE: Duration = Duration::from_secs(60);
/// Wait after the first attempt; doubles with each attempt.
const FIRST_BACKOFF: Duration = Duration::from_secs(2);
/// Maximum wait after an attempt.
const MAX_BACKOFF: Duration = Duration::from_secs(5 * 60);
/// Up to this part of a wait is left out, so that entries that failed together are not all tried
/// again at the same time.
const JITTER: f64 = 0.25;
/// Number of failures in a row after which an entry is parked or reported. With the longest wait
/// and the most jitter that takes more than 24 hours, so an outage of a day parks nothing.
pub const MAX_FAILURES: i64 = 400;

/// An outbox entry.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    /// Sequence number, in order of writing.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Kind of the work.
    pub kind: Text<Kind>,
    /// Id of the affected object. Each kind and subject has at most one entry.
    pub subject: String,
    /// Further input of the work.
    pub payload: Text<LenientJson>,
    /// Creation time.
    pub created_at: Millis,
    /// Time at which it is due next.
    pub next_attempt_at: Millis,
    /// Number of times it was claimed.
    pub attempts: i64,
    /// Time of completion.
    pub done_at: Option<Millis>,
    /// Number of failed attempts since the last one that succeeded.
    pub failures: i64,
    /// The last failure: a fixed word of the relay, never the text of an error, which may contain
    /// personal data.
    pub last_error: Option<String>,
    /// Time at which it was parked.
    pub parked_at: Option<Millis>,
    /// Trace context of the request or activity that wrote it, if traces are configured
    /// ([`telemetry::current_parent`]).
    pub traceparent: Option<String>,
}

no_relations!();

/// Inserts an entry that is due at `due`. Returns whether it is new; an existing entry, completed
/// or not, is left unchanged.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn enqueue(
    txn: &WriteTxn,
    kind: Kind,
    subject: &str,
    payload: &serde_json::Value,
    now: Timestamp,
    due: Timestamp,
) -> Result<bool> {
    let row = ActiveModel {
        id: NotSet,
        kind: Set(Text(kind)),
        subject: Set(subject.to_owned()),
        payload: Set(Text(LenientJson(payload.clone()))),
        created_at: Set(now.into()),
        next_attempt_at: Set(due.into()),
        attempts: Set(0),
        done_at: Set(None),
        failures: Set(0),
        last_error: Set(None),
        parked_at: Set(None),
        traceparent: Set(telemetry::current_parent()),
    };
    let new = table::insert_new(txn, row, [Column::Kind, Column::Subject]).await?;
    if new && due <= now {
        announce(txn, kind).await?;
    }
    Ok(new)
}

/// Inserts an entry for work that the committing process does itself. The relay does it after
/// [`INLINE_GRACE`].
///
/// # Errors
/// Returns an error if the database fails.
pub async fn enqueue_after_grace(txn: &WriteTxn, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    enqueue(txn, kind, subject, &serde_json::json!({}), now, now.plus(INLINE_GRACE)).await
}

/// Enqueues the deletion of all objects whose key starts with `prefix`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn enqueue_purge(txn: &WriteTxn, prefix: &str, now: Timestamp) -> Result<bool> {
    enqueue(txn, Kind::Purge, prefix, &serde_json::json!({ "prefix": prefix }), now, now).await
}

/// Enqueues the deletion of all objects whose key starts with `prefix`, after all upload URLs have
/// expired.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn enqueue_sweep(txn: &WriteTxn, prefix: &str, now: Timestamp) -> Result<bool> {
    let payload = serde_json::json!({ "prefix": prefix });
    enqueue(txn, Kind::PurgeAgain, prefix, &payload, now, now.plus(SWEEP_AFTER)).await
}

/// Claims up to `limit` due entries of a kind, those that are due longest, and hides them from other
/// relays for `lease`. An entry for which none of [`complete`], [`retry_later`] and
/// [`record_failure`] was called by then is due again.
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

/// Completes an entry. Returns whether it was pending.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn complete(db: &Db, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    let subject = subject.to_owned();
    db.write(async |txn| complete_in(&txn, kind, &subject, now).await).await
}

/// Deletes an entry. For subjects that may be enqueued again, and payloads that must not be kept.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn delete(db: &Db, entry: &Model) -> Result<()> {
    let id = entry.id;
    db.write(async |txn| {
        Entity::delete_by_id(id).exec(txn.conn()).await?;
        Ok(())
    })
    .await
}

/// Deletes an entry whose work is no longer necessary.
///
/// # Errors
/// Returns an error if the database fails.
pub(crate) async fn withdraw(txn: &WriteTxn, kind: Kind, subject: &str) -> Result<()> {
    Entity::delete_many()
        .filter(Column::Kind.eq(kind.as_str()))
        .filter(Column::Subject.eq(subject))
        .exec(txn.conn())
        .await?;
    Ok(())
}

/// Does the same as [`complete`] within a transaction.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn complete_in(txn: &WriteTxn, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    let update = Entity::update_many()
        .col_expr(Column::DoneAt, Expr::value(now.as_millis()))
        .filter(Column::Kind.eq(kind.as_str()))
        .filter(Column::Subject.eq(subject))
        .filter(Column::DoneAt.is_null());
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Releases a claimed entry whose work was started and is acknowledged by another part. It is due
/// again after 2 s, 4 s, 8 s … 5 min, less a jitter of up to a quarter. Returns that time. An entry
/// that was completed or claimed again meanwhile is left unchanged.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn retry_later(db: &Db, claimed: &Model, now: Timestamp) -> Result<Timestamp> {
    let due = now.plus(backoff(claimed.attempts, claimed.id));
    db.write(async |txn| {
        release(claimed, due)
            .col_expr(Column::Failures, Expr::value(0))
            .col_expr(Column::LastError, Expr::value(None::<String>))
            .exec(txn.conn())
            .await?;
        Ok(due)
    })
    .await
}

/// Consequence of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// It is due again at this time.
    RetryAt(Timestamp),
    /// It keeps failing, and is due again at this time because its kind must not be parked.
    StuckUntil(Timestamp),
    /// It is not tried again until [`retry_parked`] is called.
    Parked,
    /// It was completed or claimed again meanwhile, so this failure was not recorded.
    Superseded,
}

/// Releases a claimed entry after a failed attempt. It is due again after as long as in
/// [`retry_later`], counted by failures in a row. After [`MAX_FAILURES`], or at once if a retry
/// cannot succeed (`retryable` is `false`), it is parked if its kind may be.
///
/// `error` is a fixed word, because the text of an error may contain personal data.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn record_failure(
    db: &Db,
    claimed: &Model,
    error: &'static str,
    retryable: bool,
    now: Timestamp,
) -> Result<AfterFailure> {
    let failures = claimed.failures + 1;
    let due = now.plus(backoff(failures, claimed.id));
    let is_hopeless = !retryable || failures >= MAX_FAILURES;
    let outcome = match (is_hopeless, claimed.kind.may_park()) {
        (false, _) => AfterFailure::RetryAt(due),
        (true, false) => AfterFailure::StuckUntil(due),
        (true, true) => AfterFailure::Parked,
    };
    let parked_at = (outcome == AfterFailure::Parked).then(|| now.as_millis());
    db.write(async |txn| {
        let update = release(claimed, due)
            .col_expr(Column::Failures, Expr::value(failures))
            .col_expr(Column::LastError, Expr::value(error))
            .col_expr(Column::ParkedAt, Expr::value(parked_at));
        let is_recorded = update.exec(txn.conn()).await?.rows_affected > 0;
        Ok(if is_recorded { outcome } else { AfterFailure::Superseded })
    })
    .await
}

/// Updates a claimed entry to be due at `due`, unless it was completed or claimed again meanwhile.
fn release(claimed: &Model, due: Timestamp) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(due.as_millis()))
        .filter(Column::Id.eq(claimed.id))
        .filter(Column::NextAttemptAt.eq(claimed.next_attempt_at.as_millis()))
        .filter(Column::DoneAt.is_null())
}

/// Returns the wait after this many tries of the entry `id`. Its jitter depends on both, so the
/// waits of two entries drift apart.
fn backoff(tries: i64, id: i64) -> Duration {
    let doublings = u32::try_from(tries.clamp(1, 16) - 1).unwrap_or(0);
    let wait = (FIRST_BACKOFF * 2_u32.pow(doublings)).min(MAX_BACKOFF);
    // A multiplicative hash: its upper bits differ even for successive numbers.
    let hash = id.wrapping_add(tries).cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let fraction = hash as f64 / f64::from(u32::MAX);
    wait.mul_f64(1.0 - JITTER * fraction)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_five_minutes_with_jitter() {
        for (tries, seconds) in [(0, 2), (1, 2), (2, 4), (3, 8), (8, 256), (9, 300), (500, 300)] {
            let (longest, shortest) =
                (Duration::from_secs(seconds), Duration::from_secs(seconds).mul_f64(0.75));
            let waits: Vec<Duration> = (1..=100).map(|id| backoff(tries, id)).collect();
            assert!(waits.iter().all(|wait| (shortest..=longest).contains(wait)), "{tries}: {waits:?}");
            let (min, max) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
            assert!(*max - *min > longest.mul_f64(0.2), "{tries}: the waits are spread");
        }
    }

    #[test]
    fn outage_of_a_day_parks_nothing() {
        for id in 1..=100 {
            let total: Duration = (1..MAX_FAILURES).map(|failures| backoff(failures, id)).sum();
            assert!(total > Duration::from_secs(24 * 60 * 60), "{total:?}");
        }
    }

    #[test]
    fn each_kind_has_its_own_wakeup() {
        for (position, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, position, "{kind:?}");
        }
    }
}
