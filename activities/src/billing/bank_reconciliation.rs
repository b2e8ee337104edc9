//! Compares every payment that the bank or the ledger has with the other side.

use std::{collections::BTreeSet, time::Duration};

use domain::{
    Mode, PaymentId, Timestamp,
    money::Cents,
    payment::{PaymentState, PaymentVerdict},
};
use entities::{Db, PaymentRow, payments};
use ledger::Reversal;
use outbound::payments::{Lookup, Payment, PaymentProvider, PaymentProviders};
use serde::Serialize;

use super::PayError;

/// Maximum difference between our clock and the bank's.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(60);
/// How long a payment that needs its owner's confirmation is checked.
const CONFIRMATION_PERIOD: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BankReport {
    /// Number of payments of this service that the bank has.
    pub payments: u64,
    /// Sum that the bank collected for them, in cents.
    pub taken_cents: Cents,
    /// Payments that the bank had collected and the wallet had not received. They are credited now.
    pub credited: Vec<String>,
    /// Payments that are refunded or disputed at the bank. An operator must decide about them.
    pub given_back: Vec<String>,
    /// One line for each difference. Empty if bank and ledger agree.
    pub defects: Vec<String>,
}

/// Whether a comparison changes the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Corrections {
    /// Missed payments are credited, and refunds and disputes are recorded.
    Apply,
    /// They are only reported.
    Report,
}

/// Compares the payments of a mode since `since`, and older ones that need their owner's
/// confirmation. Credits missed payments and reports all other differences. Idempotent.
///
/// # Errors
/// Returns an error if the bank or the database is unavailable.
pub async fn reconcile_bank(
    db: &Db,
    banks: &PaymentProviders,
    mode: Mode,
    since: Timestamp,
    now: Timestamp,
) -> Result<BankReport, PayError> {
    compare_all(db, banks, mode, (since, now), Corrections::Apply).await
}

/// Compares the same payments as [`reconcile_bank`] without changing the ledger: a payment that would
/// be credited is only reported.
///
/// # Errors
/// Returns an error if the bank or the database is unavailable.
pub async fn inspect_bank(
    db: &Db,
    banks: &PaymentProviders,
    mode: Mode,
    since: Timestamp,
    now: Timestamp,
) -> Result<BankReport, PayError> {
    compare_all(db, banks, mode, (since, now), Corrections::Report).await
}

async fn compare_all(
    db: &Db,
    banks: &PaymentProviders,
    mode: Mode,
    (since, now): (Timestamp, Timestamp),
    corrections: Corrections,
) -> Result<BankReport, PayError> {
    let bank = banks.of(mode);
    let mut report = BankReport::default();
    let mut seen = BTreeSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = bank.list(since, cursor.as_deref()).await.map_err(PayError::Bank)?;
        for theirs in &page.payments {
            if let Some(id) = compare(db, mode, theirs, now, corrections, &mut report).await? {
                seen.insert(id);
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    // A payment near the start of the period may be before the start by the bank's clock.
    let since = since.plus(MAX_CLOCK_SKEW);
    for ours in
        payments::system::needing_action(db, mode.livemode(), (since.minus(CONFIRMATION_PERIOD), since))
            .await?
    {
        // The owner may have confirmed it since. The list above is limited by the time of creation,
        // so it may not contain this payment.
        let Some(reference) = &ours.reference else { continue };
        if let Some(theirs) = bank.fetch(Lookup::Reference(reference)).await.map_err(PayError::Bank)? {
            compare(db, mode, &theirs, now, corrections, &mut report).await?;
        }
    }
    for ours in payments::system::since(db, mode.livemode(), since).await? {
        if ours.state.0 == PaymentState::Succeeded && !seen.contains(ours.id.as_str()) {
            check_at_bank(bank, &ours, &mut report).await?;
        }
    }
    Ok(report)
}

/// Compares a payment of the bank with ours. Returns its id if it is ours and of this mode.
async fn compare(
    db: &Db,
    mode: Mode,
    theirs: &Payment,
    now: Timestamp,
    corrections: Corrections,
    report: &mut BankReport,
) -> Result<Option<String>, PayError> {
    // Payments without an idempotency key were not created by this service.
    let Some(key) = &theirs.idempotency_key else { return Ok(None) };
    let ours = match key.parse::<PaymentId>() {
        Ok(id) => payments::system::find(db, &id).await?,
        Err(_) => None,
    };
    let Some(ours) = ours else {
        report.defects.push(format!(
            "the bank's payment {} has the key {key}, which is unknown here",
            theirs.reference
        ));
        return Ok(None);
    };
    if ours.livemode != mode.livemode() {
        return Ok(None);
    }
    let id = ours.id.to_string();
    report.payments += 1;
    if theirs.amount_cents != ours.amount_cents || theirs.account.as_ref() != Some(&ours.account_id.0) {
        report.defects.push(format!("{id} has another amount or account at the bank"));
        return Ok(Some(id));
    }
    let verdict = theirs.result.verdict();
    match (&verdict, ours.state.0) {
        (PaymentVerdict::Succeeded { .. }, state) => {
            report.taken_cents += theirs.amount_cents;
            if state != PaymentState::Succeeded {
                if corrections == Corrections::Apply {
                    ledger::settle(db, &ours.id, &verdict, now).await?;
                }
                report.credited.push(id.clone());
            }
        }
        (_, PaymentState::Succeeded) => {
            report.defects.push(format!("{id} is credited, and the bank did not collect it"))
        }
        _ => {}
    }
    if theirs.refunded_cents > 0 || theirs.disputed {
        let dispute = (theirs.disputed && ours.dispute.is_none()).then(|| "open".to_owned());
        let reported = Reversal { refunded_cents: theirs.refunded_cents, dispute };
        if corrections == Corrections::Apply {
            ledger::record_reversal(db, &ours.id, &reported, now).await?;
        }
        report.given_back.push(id.clone());
    }
    Ok(Some(id))
}

async fn check_at_bank(
    bank: &dyn PaymentProvider,
    ours: &PaymentRow,
    report: &mut BankReport,
) -> Result<(), PayError> {
    let lookup = Lookup::Key { customer: &ours.customer, idempotency_key: ours.id.as_str() };
    let found = bank.fetch(lookup).await.map_err(PayError::Bank)?;
    let paid =
        found.is_some_and(|theirs| matches!(theirs.result.verdict(), PaymentVerdict::Succeeded { .. }));
    if !paid {
        report.defects.push(format!("{} is credited, and the bank has no such payment", ours.id.0));
    }
    Ok(())
}
