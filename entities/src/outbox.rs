//! The outbox: what must still happen outside the database because of something that was committed in it.
//!
//! Rows are written in the transaction that makes them necessary. Whoever acts first (often the process
//! that committed, at once) marks them done; a relay claims the others when they are due. Acting twice
//! must be harmless: a process may die between acting and marking.

use std::time::Duration;

use domain::Timestamp;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ExprTrait, QueryOrder, QuerySelect,
    entity::prelude::*,
    sea_query::{LockBehavior, LockType},
};

use crate::{Db, Json, Millis, Reader, Result, Text, WriteTxn, table};

/// How long the process that committed has to act itself, before a relay does.
pub const INLINE_GRACE: Duration = Duration::from_secs(5);
/// How long after the end of a scan its uploads are swept again: upload links live for an hour, and an
/// upload that began in time may take another.
pub const SWEEP_AFTER: Duration = Duration::from_secs(2 * 60 * 60);
/// The first wait after a failed attempt; doubles with each.
const FIRST_BACKOFF: Duration = Duration::from_secs(2);
/// The longest wait after a failed attempt.
const MAX_BACKOFF: Duration = Duration::from_secs(5 * 60);

/// What must happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The workflow of a created scan must run. Subject: the scan.
    ScanWorkflow,
    /// The workflow of a charged scan must hear of it. Subject: the scan.
    ScanStart,
    /// An event must be delivered. Subject: the event.
    Event,
    /// An event must be delivered to one endpoint, because someone asked for it. Subject: the round
    /// ([`crate::webhook_deliveries::Round::subject`]).
    Delivery,
    /// An owner must be told by mail that an endpoint was turned off. Subject: the round that did it.
    EndpointMail,
    /// A bank must be asked for a payment until it has decided. Subject: the payment.
    Payment,
    /// A bank must forget a payment method. Subject: the method, with its tenant.
    MethodDetach,
    /// An owner must be told by mail of a top-up that failed. Subject: the payment.
    RechargeMail,
    /// A message about an account must be mailed. Subject: the message.
    AccountMail,
    /// An archive of an account must be made. Subject: the export.
    Export,
    /// A closed account must be erased. Subject: the account.
    Erasure,
    /// Objects must be deleted. Subject: the prefix of their keys.
    Purge,
    /// Objects must be deleted once more, when no upload link to them can be alive. Subject: the prefix.
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

    /// The name in the database.
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

    /// Reads [`Kind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Something that must happen.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    /// In order of writing.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// What must happen.
    pub kind: Text<Kind>,
    /// To what. One row a kind and subject, for ever.
    pub subject: String,
    /// What else the relay needs to know.
    pub payload: Json<serde_json::Value>,
    /// When it became necessary.
    pub created_at: Millis,
    /// When it is due (again).
    pub next_attempt_at: Millis,
    /// How often it was claimed.
    pub attempts: i64,
    /// When it had happened.
    pub done_at: Option<Millis>,
}

no_relations!();

/// Writes what must happen, from `due` on. Says whether it is new; what was promised (or done) before is
/// left as it is.
///
/// # Errors
/// Of the database.
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

/// Writes what the committing process is about to do itself; a relay does it after [`INLINE_GRACE`].
///
/// # Errors
/// Of the database.
pub async fn enqueue_after_grace(txn: &WriteTxn, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    enqueue(txn, kind, subject, &serde_json::json!({}), now, now.plus(INLINE_GRACE)).await
}

/// Promises that every object whose key starts with `prefix` will be deleted.
///
/// # Errors
/// Of the database.
pub async fn enqueue_purge(txn: &WriteTxn, prefix: &str, now: Timestamp) -> Result<bool> {
    enqueue(txn, Kind::Purge, prefix, &serde_json::json!({ "prefix": prefix }), now, now).await
}

/// Promises that every object whose key starts with `prefix` will be deleted (again) when no upload link to
/// them can be alive.
///
/// # Errors
/// Of the database.
pub async fn enqueue_sweep(txn: &WriteTxn, prefix: &str, now: Timestamp) -> Result<bool> {
    let payload = serde_json::json!({ "prefix": prefix });
    enqueue(txn, Kind::PurgeAgain, prefix, &payload, now, now.plus(SWEEP_AFTER)).await
}

/// Takes up to `limit` rows that are due, the longest due first, and keeps other relays from them for
/// `lease`. A row that is neither [`done`] nor [`retry_later`] by then is due again.
///
/// # Errors
/// Of the database.
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

/// A look without a write lock: relays ask often, and mostly there is nothing.
async fn is_idle(db: &Db, now: Timestamp) -> Result<bool> {
    let due = Entity::find()
        .filter(Column::DoneAt.is_null())
        .filter(Column::NextAttemptAt.lte(now.as_millis()))
        .one(db.conn());
    Ok(due.await?.is_none())
}

/// Records that it has happened. Says whether this was news.
///
/// # Errors
/// Of the database.
pub async fn done(db: &Db, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    let subject = subject.to_owned();
    db.write(async |txn| done_in(&txn, kind, &subject, now).await).await
}

/// Forgets a promise that was kept, with what it says. Only for subjects of which it does not matter that they
/// were promised before.
///
/// # Errors
/// Of the database.
pub async fn forget(db: &Db, promise: &Model) -> Result<()> {
    let id = promise.id;
    db.write(async |txn| {
        Entity::delete_by_id(id).exec(txn.conn()).await?;
        Ok(())
    })
    .await
}

/// [`done`] as a part of a larger transaction.
///
/// # Errors
/// Of the database.
pub async fn done_in(txn: &WriteTxn, kind: Kind, subject: &str, now: Timestamp) -> Result<bool> {
    let update = Entity::update_many()
        .col_expr(Column::DoneAt, Expr::value(now.as_millis()))
        .filter(Column::Kind.eq(kind.as_str()))
        .filter(Column::Subject.eq(subject))
        .filter(Column::DoneAt.is_null());
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Gives a claimed row back after a failed attempt; it is due again after 2 s, 4 s, 8 s … 5 min.
/// Answers when. A row that was done meanwhile, or claimed by another relay, is left alone.
///
/// # Errors
/// Of the database.
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

/// The row for this, done or not.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, kind: Kind, subject: &str) -> Result<Option<Model>> {
    let row = Entity::find().filter(Column::Kind.eq(kind.as_str())).filter(Column::Subject.eq(subject));
    Ok(row.one(reader.conn()).await?)
}

/// Whether this was promised and has not happened yet.
///
/// # Errors
/// Of the database.
pub async fn is_pending(reader: &impl Reader, kind: Kind, subject: &str) -> Result<bool> {
    Ok(find(reader, kind, subject).await?.is_some_and(|row| row.done_at.is_none()))
}

/// Forgets rows that were done before `before`; answers how many. Only for subjects that cannot become
/// necessary again.
///
/// # Errors
/// Of the database.
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
