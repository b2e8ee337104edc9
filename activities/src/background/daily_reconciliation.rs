//! The clerk: once a day it compares the bank's live payments with ours, and keeps a report.

use std::time::Duration;

use domain::{Mode, Timestamp};
use entities::{Db, bank_reports};
use outbound::payments::Banks;
use tokio_util::sync::CancellationToken;

use crate::{
    recharge::PayError,
    reconcile_bank::{BankReport, reconcile_bank},
};

/// How often the clerk looks whether the day's report was made.
const INTERVAL: Duration = Duration::from_secs(10 * 60);
/// What a report looks back on: longer than a day, so that what a day missed is found on the next.
const SPAN: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Compares bank and ledger until it is stopped. Several may run: a report is made once a day, and making it
/// twice changes nothing.
pub struct BankClerk {
    db: Db,
    banks: Banks,
}

impl BankClerk {
    /// A clerk of this database and these banks.
    pub fn new(db: Db, banks: Banks) -> Self {
        Self { db, banks }
    }

    /// Runs until `stop` is cancelled. Trouble is logged and tried again later on the same day.
    pub async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => {}
            }
            if let Err(error) = self.once(Timestamp::now()).await {
                tracing::warn!(%error, "bank and ledger could not be compared");
            }
        }
    }

    /// Makes the report of this day, if it was not made.
    ///
    /// # Errors
    /// When bank or database cannot be asked.
    pub async fn once(&self, now: Timestamp) -> Result<Option<BankReport>, PayError> {
        let mode = Mode::Live;
        if bank_reports::find(&self.db, &now.day(), mode.livemode()).await?.is_some() {
            return Ok(None);
        }
        let report = reconcile_bank(&self.db, &self.banks, mode, now.minus(SPAN), now).await?;
        let (kept, livemode) = (serde_json::json!(report), mode.livemode());
        let new: entities::Result<bool> = self
            .db
            .write(async |txn| bank_reports::insert_new(&txn, livemode, kept.clone(), now).await)
            .await;
        for defect in &report.defects {
            tracing::error!(defect, "bank and ledger do not agree");
        }
        let (payments, credited) = (report.payments, report.credited.len());
        tracing::info!(day = now.day(), payments, credited, defects = report.defects.len(), "bank report");
        Ok(new?.then_some(report))
    }
}
