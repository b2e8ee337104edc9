//! Commands on the outbox.

use anyhow::bail;
use domain::Timestamp;
use entities::{
    Db,
    outbox::{self, Kind},
};
use serde_json::{Value, json};

/// Returns the entries that are not done, without their payloads.
pub(super) async fn list(db: &Db, only_parked: bool, limit: u64) -> anyhow::Result<Value> {
    let (entries, now) = (outbox::list_pending(db, only_parked, limit).await?, Timestamp::now());
    Ok(entries
        .into_iter()
        .map(|entry| {
            json!({
                "kind": entry.kind,
                "subject": entry.subject,
                "attempts": entry.attempts,
                "failures": entry.failures,
                "last_error": entry.last_error,
                "age_seconds": now.since(entry.created_at.0).as_secs(),
                "next_attempt_at": entry.parked_at.is_none().then_some(entry.next_attempt_at.0),
                "parked_at": entry.parked_at.map(|at| at.0),
            })
        })
        .collect())
}

/// Makes a parked entry due at once.
pub(super) async fn retry(db: &Db, kind: Kind, subject: &str) -> anyhow::Result<Value> {
    let now = Timestamp::now();
    let was_parked = db.write(async |txn| outbox::retry_parked(&txn, kind, subject, now).await).await?;
    if !was_parked {
        bail!("the outbox has no parked entry of the kind {} for {subject}", kind.as_str());
    }
    Ok(json!({ "kind": kind.as_str(), "subject": subject, "retried": true }))
}
