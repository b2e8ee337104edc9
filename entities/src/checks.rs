//! Results of the periodic checks: the newest one of each check, which operators watch as a metric.

use domain::Timestamp;
use sea_orm::{ConnectionTrait, Statement};

use crate::{Error, Reader, Result, WriteTxn};

/// A periodic check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Compares the bank's payments with the ledger.
    Bank,
    /// Verifies every transaction and balance of the ledger.
    Ledger,
}

impl Check {
    /// Every check.
    pub const ALL: [Check; 2] = [Check::Bank, Check::Ledger];

    /// Returns the name used in the database and in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Check::Bank => "bank",
            Check::Ledger => "ledger",
        }
    }
}

/// The newest result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// Number of mismatches that it found.
    pub mismatches: u64,
    /// Time of the check.
    pub checked_at: Timestamp,
}

/// Replaces the result of a check.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn record(txn: &WriteTxn, result: CheckResult) -> Result<()> {
    let statement = Statement::from_sql_and_values(
        txn.conn().get_database_backend(),
        "INSERT INTO checks (name, mismatches, checked_at) VALUES ($1, $2, $3) ON CONFLICT (name) \
         DO UPDATE SET mismatches = excluded.mismatches, checked_at = excluded.checked_at",
        [
            result.check.as_str().into(),
            i64::try_from(result.mismatches).unwrap_or(i64::MAX).into(),
            result.checked_at.as_millis().into(),
        ],
    );
    txn.conn().execute_raw(statement).await?;
    Ok(())
}

/// Returns the newest result of each check that has run.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn results(reader: &impl Reader) -> Result<Vec<CheckResult>> {
    let statement = Statement::from_string(
        reader.conn().get_database_backend(),
        "SELECT name, mismatches, checked_at FROM checks ORDER BY name",
    );
    let rows = reader.conn().query_all_raw(statement).await?;
    rows.iter()
        .map(|row| {
            let (name, mismatches, at): (String, i64, i64) =
                (row.try_get_by_index(0)?, row.try_get_by_index(1)?, row.try_get_by_index(2)?);
            let check = Check::ALL.into_iter().find(|check| check.as_str() == name);
            Ok(CheckResult {
                check: check.ok_or_else(|| Error::corrupt(format!("unknown check {name}")))?,
                mismatches: u64::try_from(mismatches).unwrap_or(0),
                checked_at: Timestamp::from_millis(at),
            })
        })
        .collect()
}
