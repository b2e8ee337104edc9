//! The checks after a run, from outside: through the API, the database, the bucket, the engine's index and
//! what the webhook receiver got. Each returns a line for each violation.

mod deliveries;
mod documents;
mod money;
mod objects;
mod scans;
mod settled;
mod workflows;

use std::collections::BTreeMap;

use entities::{Db, Reader};
use harness::Receiver;
use sea_orm::{ConnectionTrait, Statement};
use serde::Serialize;

pub use self::{documents::Baseline, settled::await_settled};
use crate::{stack::Stack, workload::Workload};

/// Runs every check.
///
/// # Errors
/// Returns an error if a part of the stack does not respond.
pub async fn run(
    stack: &Stack,
    db: &Db,
    workload: &Workload,
    receiver: &Receiver,
    baseline: &BTreeMap<crate::workload::Medium, Baseline>,
) -> anyhow::Result<(Vec<String>, Examined)> {
    let mut violations = workload.complaints();
    let records = workload.records();
    let ended = scans::check(workload, &records, &mut violations).await?;
    money::check(stack, db, &mut violations).await?;
    let events = deliveries::check(workload, receiver, &mut violations).await?;
    let objects = objects::check(stack, db, &ended, baseline, &mut violations).await?;
    let documents = documents::check(workload, &ended, baseline, &mut violations).await?;
    for finding in stack.doctor().await? {
        violations.push(format!("scan doctor: {finding}"));
    }
    let webhook_requests = receiver.received().len();
    Ok((violations, Examined { scans: records.len(), events, webhook_requests, objects, documents }))
}

/// How much the checks examined: a check of nothing finds nothing.
#[derive(Debug, Serialize)]
pub struct Examined {
    /// Scans whose outcome was compared with what their client did.
    pub scans: usize,
    /// Events whose deliveries were looked for.
    pub events: usize,
    /// Requests that the webhook receiver got.
    pub webhook_requests: usize,
    /// Objects in the bucket.
    pub objects: usize,
    /// Documents that were compared with a calm run.
    pub documents: usize,
}

/// Runs a query that returns a column `line`, and adds a violation for each row.
async fn violations_of(
    db: &Db,
    description: &str,
    query: &str,
    violations: &mut Vec<String>,
) -> anyhow::Result<()> {
    for line in lines(db, query).await? {
        violations.push(format!("{description}: {line}"));
    }
    Ok(())
}

/// Returns the column `line` of a query.
async fn lines(db: &Db, query: &str) -> anyhow::Result<Vec<String>> {
    let rows = db.conn().query_all_raw(Statement::from_string(db.backend(), query)).await?;
    Ok(rows.iter().map(|row| row.try_get("", "line")).collect::<Result<_, _>>()?)
}

/// Counts the scans by status.
///
/// # Errors
/// Returns an error if the database does not respond.
pub async fn scans_by_status(db: &Db) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut counts = BTreeMap::new();
    for status in lines(db, "SELECT status AS line FROM scans").await? {
        *counts.entry(status).or_default() += 1;
    }
    Ok(counts)
}
