//! The transactional outbox: work outside the database, for example starting a workflow.
//!
//! An entry is written in the transaction that makes the work necessary. The committing process
//! often does the work immediately and completes the entry. The relay claims the other entries when
//! they are due. The work must be idempotent, because a process may die between doing the work and
//! completing the entry.

use std::time::Duration;

use domain::Timestamp;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ExprTrait, QueryOrder, QuerySelect,
    entity::prelude::*,
    sea_query::{LockBehavior, LockType},
};

use crate::{Db, Json, Millis, Reader, Result, Text, WriteTxn, table};

/// Time in which only the committing process does the work. The relay claims the entry afterwards.
pub const INLINE_GRACE: Duration = Duration::from_secs(5);
/// Time between the end of a scan and the second deletion of its uploads. Upload URLs are valid for
/// one hour, and an upload that began before their expiry may take another hour.
pub const SWEEP_AFTER: Duration = Duration::from_secs(2 * 60 * 60);
/// Wait after the first failed attempt; doubles with each attempt.
const FIRST_BACKOFF: Duration = Duration::from_secs(2);
/// Maximum wait after a failed attempt.
const MAX_BACKOFF: Duration = Duration::from_secs(5 * 60);

/// Kind of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Start the workflow of a created scan. Subject: the scan.
    ScanWorkflow,
    /// Send the update `start` to the workflow of a charged scan. Subject: the scan.
    ScanStart,
    /// Deliver an event. Subject: the event.
    Event,
    /// Deliver an event to one endpoint again, on request. Subject: the round
    /// ([`crate::webhook_deliveries::Round::subject`]).
    Delivery,
    /// Mail an owner that an endpoint was disabled. Subject: the round that disabled it.
    EndpointMail,
    /// Request a payment from the bank until it is decided. Subject: the payment.
    Payment,
    /// Detach a payment method at the bank. Subject: the method, with its tenant.
    MethodDetach,
    /// Mail an owner that a top-up failed. Subject: the payment.
    RechargeMail,
    /// Send a mail about an account. Subject: the message.
    AccountMail,
    /// Create an archive of an account. Subject: the export.
    Export,
    /// Erase a closed account. Subject: the account.
    Erasure,
    /// Delete objects. Subject: the prefix of their keys.
    Purge,
    /// Delete objects again after all upload URLs have expired. Subject: the prefix of their keys.
    PurgeAgain,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 13] = [
        Kind::ScanWorkflow,
        Kind::ScanStart,
        Kind::Event,
        Kind::Delivery,
        Kind::EndpointMail,
        Kind::Payment,
        Kind::MethodDetach,
        Kind::RechargeMail,
        Kind::AccountMail,
        Kind::Export,
        Kind::Erasure,
        Kind::Purge,
        Kind::PurgeAgain,
    ];

    /// Returns the name used in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::ScanWorkflow => "scan_workflow",
            Kind::ScanStart => "scan_start",
            Kind::Event => "event",
            Kind::Delivery => "delivery",
            Kind::EndpointMail => "endpoint_mail",
            Kind::Payment => "payment",
            Kind::MethodDetach => "method_detach",
            Kind::RechargeMail => "recharge_mail",
            Kind::AccountMail => "account_mail",
            Kind::Export => "export",
            Kind::Erasure => "erasure",
            Kind::Purge => "purge",
            Kind::PurgeAgain => "purge_again",
        }
    }

    /// Parses the result of [`Kind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

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
    pub payload: Json<serde_json::Value>,
    /// Creation time.
    pub created_at: Millis,
    /// Time at which it is due next.
    pub next_attempt_at: Millis,
    /// Number of times it was claimed.
    pub attempts: i64,
    /// Time of completion.
    pub done_at: Option<Millis>,
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
        payload: Set(Json(payload.clone())),
        created_at: Set(now.into()),
        next_attempt_at: Set(due.into()),
        attempts: Set(0),
        done_at: Set(None),
    };
    table::insert_new(txn, row, [Column::Kind, Column::Subject]).await
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

/// Claims up to `limit` due entries, the longest due first, and hides them from other relays for
/// `lease`. An entry for which neither [`complete`] nor [`retry_later`] was called by then is due
/// again.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn claim_due(db: &Db, limit: u64, now: Timestamp, lease: Duration) -> Result<Vec<Model>> {
    if is_idle(db, now).await? {
        return Ok(Vec::new());
    }
    db.write(async |txn| {
        let mut rows = Entity::find()
            .filter(Column::DoneAt.is_null())
            .filter(Column::NextAttemptAt.lte(now.as_millis()))
            .order_by_asc(Column::NextAttemptAt)
            .order_by_asc(Column::Id)
            .limit(limit)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .all(txn.conn())
            .await?;
        let until = now.plus(lease);
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

/// Returns whether no entry is due. Takes no write lock, because relays poll often and mostly find
/// nothing.
async fn is_idle(db: &Db, now: Timestamp) -> Result<bool> {
    let due = Entity::find()
        .filter(Column::DoneAt.is_null())
        .filter(Column::NextAttemptAt.lte(now.as_millis()))
        .one(db.conn());
    Ok(due.await?.is_none())
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

/// Releases a claimed entry after a failed attempt. It is due again after 2 s, 4 s, 8 s … 5 min.
/// Returns that time. An entry that was completed or claimed again meanwhile is left unchanged.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn retry_later(db: &Db, claimed: &Model, now: Timestamp) -> Result<Timestamp> {
    let due = now.plus(backoff(claimed.attempts));
    let (id, claimed_until) = (claimed.id, claimed.next_attempt_at);
    db.write(async |txn| {
        Entity::update_many()
            .col_expr(Column::NextAttemptAt, Expr::value(due.as_millis()))
            .filter(Column::Id.eq(id))
            .filter(Column::NextAttemptAt.eq(claimed_until.as_millis()))
            .filter(Column::DoneAt.is_null())
            .exec(txn.conn())
            .await?;
        Ok(due)
    })
    .await
}

fn backoff(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 16) - 1).unwrap_or(0);
    (FIRST_BACKOFF * 2_u32.pow(doublings)).min(MAX_BACKOFF)
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

/// Deletes entries that were completed before `before` and returns their number.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn purge_done(txn: &WriteTxn, before: Timestamp) -> Result<u64> {
    let old = Entity::delete_many().filter(Column::DoneAt.lt(before.as_millis()));
    Ok(old.exec(txn.conn()).await?.rows_affected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_five_minutes() {
        let seconds: Vec<u64> = [0, 1, 2, 3, 8, 9, 500].map(|n| backoff(n).as_secs()).to_vec();
        assert_eq!(seconds, [2, 2, 4, 8, 256, 300, 300]);
    }
}
