//! Compares the bank's live payments with the ledger once a day, and stores a report.

use std::time::Duration;

use domain::{Mode, Timestamp};
use entities::{Db, bank_reports};
use outbound::payments::PaymentProviders;

use crate::billing::{BankReport, PayError, reconcile_bank};

/// Period that a report covers. It is longer than a day, so that a report also covers earlier
/// days whose report is missing.
const REPORT_PERIOD: Duration = Duration::from_secs(3 * 24 * 60 * 60);

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
