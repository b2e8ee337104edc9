//! Commands on the comparison of bank and ledger.

use std::time::Duration;

use domain::{Mode, Timestamp};
use entities::{Db, bank_reports};
use outbound::payments::PaymentProviders;
use serde_json::{Value, json};

use super::Output;
use crate::config::Config;

/// Returns the newest daily reports.
pub(super) async fn reports(db: &Db, limit: u64) -> anyhow::Result<Value> {
    let reports = bank_reports::newest(db, limit).await?;
    Ok(reports
        .into_iter()
        .map(|row| {
            json!({
                "day": row.day,
                "livemode": row.livemode,
                "at": row.created_at.0,
                "report": row.report.0,
            })
        })
        .collect())
}

/// Compares the payments of the last `days` days. Fails, after printing the report, if there are
/// defects.
pub(super) async fn reconcile(config: &Config, db: &Db, mode: Mode, days: u32) -> anyhow::Result<Output> {
    let (banks, now) = (PaymentProviders::open(&config.outbound.payments)?, Timestamp::now());
    let since = now.minus(Duration::from_secs(u64::from(days) * 24 * 60 * 60));
    let report = activities::reconcile_bank(db, &banks, mode, since, now).await?;
    activities::record_bank_check(db, mode, &report, now).await?;
    let failure = (!report.defects.is_empty()).then_some("bank and ledger differ");
    Ok(Output { json: json!(report), failure })
}
