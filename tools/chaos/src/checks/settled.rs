//! Waits until the service has finished everything that it can finish.

use std::time::{Duration, Instant};

use entities::Db;

use super::{lines, workflows};
use crate::stack::Stack;

/// Time between two looks.
const POLL: Duration = Duration::from_secs(1);

/// Work that ends without further help once nothing fails any more. Abandoned scans wait for a day, and
/// their outbox entries are not due before.
const OPEN_WORK: [(&str, &str); 4] = [
    ("scan", "SELECT id || ' ' || status AS line FROM scans WHERE status IN ('queued', 'processing')"),
    (
        "delivery",
        "SELECT event_id || ' to ' || endpoint_id || ' after ' || attempts || ' attempts' AS line
         FROM webhook_deliveries WHERE status = 'pending'",
    ),
    ("payment", "SELECT id || ' ' || kind AS line FROM payments WHERE state = 'pending'"),
    (
        "outbox entry",
        "SELECT kind || ' ' || subject AS line FROM outbox WHERE done_at IS NULL
         AND next_attempt_at < CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT)",
    ),
];

/// Waits until no work is open and no workflow runs that could end, and returns what is still open after
/// `limit`.
///
/// # Errors
/// Returns an error if the database does not respond, or Temporal's server cannot be started.
pub async fn await_settled(stack: &mut Stack, db: &Db, limit: Duration) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    loop {
        let mut open = Vec::new();
        for (kind, query) in OPEN_WORK {
            open.extend(lines(db, query).await?.into_iter().map(|line| format!("{kind} {line}")));
        }
        stack.revive_temporal()?;
        match workflows::open(stack, db).await {
            Ok(ids) => open.extend(ids.into_iter().map(|id| format!("workflow {id}"))),
            // The engine may be starting.
            Err(error) => open.push(format!("list of workflows ({error:#})")),
        }
        if open.is_empty() || began.elapsed() > limit {
            return Ok(open);
        }
        tokio::time::sleep(POLL).await;
    }
}
