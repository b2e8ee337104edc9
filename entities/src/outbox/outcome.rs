//! The outcome of an attempt: the entry is completed, due again later, or parked.

use std::time::Duration;

use domain::Timestamp;
use sea_orm::{UpdateMany, entity::prelude::*};

use super::{Column, Entity, Kind, Model};
use crate::{Db, Reader, Result, WriteTxn};

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
    /// It is not tried again until [`retry_parked`](super::retry_parked) is called.
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
}
