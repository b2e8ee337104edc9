//! Compares the bank's live payments with the ledger once a day, and stores a report. Verifies the
//! ledger itself once a day, too.

use std::time::Duration;

use domain::{Mode, Timestamp};
use entities::{
    Db, bank_reports,
    checks::{self, Check, CheckResult},
};
use outbound::payments::PaymentProviders;

use crate::billing::{BankReport, PayError, reconcile_bank};

/// Period that a report covers. It is longer than a day, so that a report also covers earlier
/// days whose report is missing.
const REPORT_PERIOD: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// Time between two verifications of the ledger, which read all of it.
const LEDGER_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// The periodic task that creates the daily report. A repeated comparison changes nothing, and one
/// report is stored per day.
pub struct DailyReconciliation {
    db: Db,
    banks: PaymentProviders,
}

impl DailyReconciliation {
    /// Creates the task.
    pub fn new(db: Db, banks: PaymentProviders) -> Self {
        Self { db, banks }
    }

    /// Creates and stores today's report. Returns `None` if it exists already.
    ///
    /// # Errors
    /// Returns an error if the bank or the database is unavailable.
    pub async fn run_once(&self, now: Timestamp) -> Result<Option<BankReport>, PayError> {
        let mode = Mode::Live;
        if !self.banks.takes_payments(mode) {
            return Ok(None);
        }
        if bank_reports::find(&self.db, &now.day(), mode.livemode()).await?.is_some() {
            return Ok(None);
        }
        let report = reconcile_bank(&self.db, &self.banks, mode, now.minus(REPORT_PERIOD), now).await?;
        let (json, livemode) = (serde_json::json!(report), mode.livemode());
        record_bank_check(&self.db, mode, &report, now).await?;
        let inserted: entities::Result<bool> = self
            .db
            .write(async |txn| bank_reports::insert_new(&txn, livemode, json.clone(), now).await)
            .await;
        for defect in &report.defects {
            tracing::error!(defect, "bank and ledger differ");
        }
        let (payments, credited) = (report.payments, report.credited.len());
        tracing::info!(
            day = now.day(),
            payments,
            credited,
            defects = report.defects.len(),
            "compared bank and ledger"
        );
        Ok(inserted?.then_some(report))
    }
}

/// Verifies the ledger, unless that was done within a day, and records the result, which operators watch
/// as a metric. Returns the violations, or `None` if there was nothing to do.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn check_ledger(db: &Db, now: Timestamp) -> ledger::Result<Option<Vec<String>>> {
    let last = checks::results(db).await?.into_iter().find(|result| result.check == Check::Ledger);
    if last.is_some_and(|last| now.since(last.checked_at) < LEDGER_INTERVAL) {
        return Ok(None);
    }
    let defects = verify_ledger(db, now).await?;
    for defect in &defects {
        tracing::error!(defect, "the ledger contradicts itself");
    }
    Ok(Some(defects))
}

/// Records the result of a comparison of live payments, which operators watch as a metric. The
/// comparison of test payments is not recorded.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn record_bank_check(
    db: &Db,
    mode: Mode,
    report: &BankReport,
    now: Timestamp,
) -> entities::Result<()> {
    if mode != Mode::Live {
        return Ok(());
    }
    let mismatches = report.defects.len() as u64;
    let result = CheckResult { check: Check::Bank, mismatches, checked_at: now };
    db.write(async |txn| checks::record(&txn, result).await).await
}

/// Verifies the ledger and records the result. Returns the violations.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn verify_ledger(db: &Db, now: Timestamp) -> ledger::Result<Vec<String>> {
    let defects = ledger::verify(db).await?.defects;
    let result = CheckResult { check: Check::Ledger, mismatches: defects.len() as u64, checked_at: now };
    let recorded: entities::Result<()> = db.write(async |txn| checks::record(&txn, result).await).await;
    recorded?;
    Ok(defects)
}

#[cfg(test)]
mod tests {
    use entities::{
        Reader,
        testing::{self, on_each_database},
    };
    use sea_orm::ConnectionTrait;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn ledger_is_verified_once_a_day_and_its_violations_are_recorded() {
        on_each_database(async |db| {
            let (now, tenant) = (Timestamp::now(), testing::account(&db).await);
            let opened: ledger::Result<_> =
                db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, 3, now).await).await;
            opened.unwrap();
            assert_eq!(check_ledger(&db, now).await.unwrap(), Some(Vec::new()));
            db.conn().execute_unprepared("UPDATE wallets SET balance_cents = 7").await.unwrap();
            let later = now.plus(LEDGER_INTERVAL - Duration::from_secs(1));
            assert_eq!(check_ledger(&db, later).await.unwrap(), None);
            let next_day = now.plus(LEDGER_INTERVAL);
            assert_eq!(check_ledger(&db, next_day).await.unwrap().unwrap().len(), 2, "one for each mode");
            let result = CheckResult { check: Check::Ledger, mismatches: 2, checked_at: next_day };
            assert_eq!(checks::results(&db).await.unwrap(), [result]);
        })
        .await;
    }
}
