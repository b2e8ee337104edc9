//! How much work waits in the database, for the metrics of operators.
//!
//! Each function is one statement that reads indexes and at most [`MAX_COUNT`] rows of each group, so
//! its cost is bounded however long an outage lasts. Counts end at [`MAX_COUNT`]; the oldest row of a
//! kind of outbox entry is exact, and that of a group of scans is the oldest of those counted.

use domain::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult, Statement};

use crate::{Error, Reader, Result, outbox::Kind};

/// Maximum count of a group: "this many or more".
pub const MAX_COUNT: u32 = 10_000;

/// Outbox entries of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxBacklog {
    /// The kind.
    pub kind: Kind,
    /// Entries that are neither done nor parked, including those that are not due yet.
    pub open: u64,
    /// Creation time of the oldest of them.
    pub oldest_at: Option<Timestamp>,
    /// Entries that are parked.
    pub parked: u64,
}

/// Charged scans in one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanBacklog {
    /// `queued`, or the name of a stage.
    pub stage: String,
    /// Number of scans.
    pub scans: u64,
    /// Time of the earliest start.
    pub oldest_started_at: Option<Timestamp>,
    /// Time of the earliest last progress.
    pub oldest_progress_at: Option<Timestamp>,
}

/// Returns the backlog of each kind of outbox entry.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn outbox(reader: &impl Reader) -> Result<Vec<OutboxBacklog>> {
    query(reader, outbox_sql())
        .await?
        .iter()
        .map(|row| {
            let name: String = row.try_get_by_index(0)?;
            Ok(OutboxBacklog {
                kind: Kind::parse(&name)
                    .ok_or_else(|| Error::corrupt(format!("unknown outbox kind {name}")))?,
                open: count(row, 1)?,
                oldest_at: time(row, 2)?,
                parked: count(row, 3)?,
            })
        })
        .collect()
}

/// Returns the backlog of charged scans, by stage. Stages without a scan are missing.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn scans(reader: &impl Reader) -> Result<Vec<ScanBacklog>> {
    query(reader, scans_sql())
        .await?
        .iter()
        .map(|row| {
            Ok(ScanBacklog {
                stage: row.try_get_by_index(0)?,
                scans: count(row, 1)?,
                oldest_started_at: time(row, 2)?,
                oldest_progress_at: time(row, 3)?,
            })
        })
        .collect()
}

/// Returns the number of webhook deliveries that have not ended.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn pending_deliveries(reader: &impl Reader) -> Result<u64> {
    let rows = query(reader, deliveries_sql()).await?;
    rows.first().map_or(Ok(0), |row| count(row, 0))
}

/// Returns every statement, for the test of their query plans.
pub fn statements() -> [String; 3] {
    [outbox_sql(), scans_sql(), deliveries_sql()]
}

fn outbox_sql() -> String {
    let of_kind = |kind: Kind| {
        let kind = kind.as_str();
        let open = format!("outbox WHERE kind = '{kind}' AND done_at IS NULL AND parked_at IS NULL");
        let parked = format!("outbox WHERE kind = '{kind}' AND done_at IS NULL AND parked_at IS NOT NULL");
        format!(
            "SELECT '{kind}' AS kind, \
             (SELECT COUNT(*) FROM (SELECT 1 FROM {open} LIMIT {MAX_COUNT}) AS rows) AS open, \
             (SELECT created_at FROM {open} ORDER BY created_at LIMIT 1) AS oldest_at, \
             (SELECT COUNT(*) FROM (SELECT 1 FROM {parked} LIMIT {MAX_COUNT}) AS rows) AS parked"
        )
    };
    Kind::ALL.map(of_kind).join(" UNION ALL ")
}

fn scans_sql() -> String {
    // Both conditions on the status: SQLite uses the partial index `scans_unfinished` only if the
    // statement repeats its condition.
    let with_status = |status: &str| {
        format!(
            "SELECT COALESCE(stage, status) AS stage, COUNT(*) AS scans, MIN(started_at) AS started_at, \
             MIN(progressed_at) AS progressed_at FROM (SELECT status, stage, started_at, progressed_at \
             FROM scans WHERE status = '{status}' AND status IN ('awaiting_upload', 'queued', 'processing') \
             ORDER BY created_at LIMIT {MAX_COUNT}) AS oldest GROUP BY COALESCE(stage, status)"
        )
    };
    format!("{} UNION ALL {}", with_status("queued"), with_status("processing"))
}

fn deliveries_sql() -> String {
    format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM webhook_deliveries WHERE status = 'pending' \
         LIMIT {MAX_COUNT}) AS rows"
    )
}

async fn query(reader: &impl Reader, sql: String) -> Result<Vec<QueryResult>> {
    let conn = reader.conn();
    Ok(conn.query_all_raw(Statement::from_string(conn.get_database_backend(), sql)).await?)
}

fn count(row: &QueryResult, column: usize) -> Result<u64> {
    let count: i64 = row.try_get_by_index(column)?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn time(row: &QueryResult, column: usize) -> Result<Option<Timestamp>> {
    let at: Option<i64> = row.try_get_by_index(column)?;
    Ok(at.map(Timestamp::from_millis))
}
