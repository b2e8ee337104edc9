//! The transactional outbox: work outside the database, for example starting a workflow.
//!
//! An entry is written in the transaction that makes the work necessary. The committing process
//! often does the work immediately and completes the entry. The relay claims the other entries when
//! they are due. The work must be idempotent, because a process may die between doing the work and
//! completing the entry.
//!
//! A failed entry is tried again, less and less often. An entry that keeps failing is parked if its
//! kind may be ([`Kind::may_park`]): it is not tried again until an operator calls [`retry_parked`].

mod claim;
pub(crate) mod kind;
mod notify;
mod outcome;
mod pending;
pub(crate) mod wakeups;

use std::time::Duration;

use domain::Timestamp;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    entity::prelude::*,
};

use notify::announce;
pub(crate) use outcome::withdraw;
pub use {
    claim::{claim_due, kinds_due, wake_due},
    kind::Kind,
    notify::{listen, subscribe},
    outcome::{AfterFailure, MAX_FAILURES, complete, complete_in, delete, record_failure, retry_later},
    pending::{Pending, find, is_pending, list_pending, list_unfinished, retry_now, retry_parked},
};

use crate::{LenientJson, Millis, Result, Text, WriteTxn, table};

/// Time in which only the committing process does the work. The relay claims the entry afterwards.
pub const INLINE_GRACE: Duration = Duration::from_secs(5);
/// Time between the end of a scan and the second deletion of its uploads. Upload URLs are valid for
/// one hour, and an upload that began before their expiry may take another hour.
pub const SWEEP_AFTER: Duration = Duration::from_secs(2 * 60 * 60);
/// Maximum time for which a relay claims an entry.
pub const MAX_LEASE: Duration = Duration::from_secs(60);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own_wakeup() {
        for (position, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, position, "{kind:?}");
        }
    }
}
