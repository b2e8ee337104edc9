//! Bank against ledger: every payment that either side has, compared with the other's.

use std::{collections::BTreeSet, time::Duration};

use domain::{
    Mode, PaymentId, Timestamp,
    money::Cents,
    payment::{PaymentState, PaymentVerdict},
};
use entities::{Db, PaymentRow, payments};
use ledger::Reversal;
use outbound::payments::{Banks, Lookup, Payment, Payments};
use serde::Serialize;

use crate::recharge::PayError;

/// How much later than here something may have been made at the bank, or earlier.
const CLOCKS_DIFFER: Duration = Duration::from_secs(60);
/// How long a payment that waits for its owner is looked at.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// What a comparison found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BankReport {
    /// Payments that the bank has, of those that are ours.
    pub payments: u64,
    /// What the bank took in them, in cents.
    pub taken_cents: Cents,
    /// Payments that the bank was paid and whose money had not come into a wallet: it has now.
    pub credited: Vec<String>,
    /// Payments that were given back or are disputed at the bank: an operator decides what follows.
    pub given_back: Vec<String>,
    /// One line for everything that does not agree. Empty when the books agree.
    pub defects: Vec<String>,
}

/// Compares the payments of a mode since then, and older ones that wait for their owner, credits what was missed, and reports the rest. May be
/// repeated: what was credited is credited once.
///
/// # Errors
/// When bank or database cannot be asked.
pub async fn reconcile_bank(
    db: &Db,
    banks: &Banks,
    mode: Mode,
    since: Timestamp,
    now: Timestamp,
) -> Result<BankReport, PayError> {
    let bank = banks.of(mode);
    let mut report = BankReport::default();
    let mut seen = BTreeSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = bank.list(since, cursor.as_deref()).await.map_err(PayError::Bank)?;
        for theirs in &page.payments {
            if let Some(id) = compare(db, mode, theirs, now, &mut report).await? {
                seen.insert(id);
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    // Clocks differ: what was decided on near the beginning may lie before it at the bank.
    let since = since.plus(CLOCKS_DIFFER);
    for ours in
        payments::system::needing_action(db, mode.livemode(), (since.minus(CONFIRMED_WITHIN), since)).await?
    {
        // Its owner may have confirmed it since, whenever it was made.
        let Some(reference) = &ours.reference else { continue };
        if let Some(theirs) = bank.fetch(Lookup::Reference(reference)).await.map_err(PayError::Bank)? {
            compare(db, mode, &theirs, now, &mut report).await?;
        }
    }
    for ours in payments::system::since(db, mode.livemode(), since).await? {
        if ours.state.0 == PaymentState::Succeeded && !seen.contains(ours.id.as_str()) {
            look_for(bank, &ours, &mut report).await?;
        }
    }
    Ok(report)
}

/// Compares a payment of the bank with ours; answers its id when it is one of this mode.
async fn compare(
    db: &Db,
    mode: Mode,
    theirs: &Payment,
    now: Timestamp,
    report: &mut BankReport,
) -> Result<Option<String>, PayError> {
    // What was not made by us has none of our names.
    let Some(key) = &theirs.idempotency_key else { return Ok(None) };
    let ours = match key.parse::<PaymentId>() {
        Ok(id) => payments::system::find(db, &id).await?,
        Err(_) => None,
    };
    let Some(ours) = ours else {
        report.defects.push(format!("{} at the bank is {key}, which is not known here", theirs.reference));
        return Ok(None);
    };
    if ours.livemode != mode.livemode() {
        return Ok(None);
    }
    let id = ours.id.to_string();
    report.payments += 1;
    if theirs.amount_cents != ours.amount_cents || theirs.account.as_ref() != Some(&ours.account_id.0) {
        report.defects.push(format!("{id} is another amount or account at the bank"));
        return Ok(Some(id));
    }
    let verdict = theirs.result.verdict();
    match (&verdict, ours.state.0) {
        (PaymentVerdict::Succeeded { .. }, state) => {
            report.taken_cents += theirs.amount_cents;
            if state != PaymentState::Succeeded {
                ledger::settle(db, &ours.id, &verdict, now).await?;
                report.credited.push(id.clone());
            }
        }
        (_, PaymentState::Succeeded) => report.defects.push(format!("{id} is credited and was not paid")),
        _ => {}
    }
    if theirs.refunded_cents > 0 || theirs.disputed {
        let dispute = (theirs.disputed && ours.dispute.is_none()).then(|| "open".to_owned());
        let told = Reversal { refunded_cents: theirs.refunded_cents, dispute };
        ledger::record_reversal(db, &ours.id, &told, now).await?;
        report.given_back.push(id.clone());
    }
    Ok(Some(id))
}

async fn look_for(bank: &dyn Payments, ours: &PaymentRow, report: &mut BankReport) -> Result<(), PayError> {
    let lookup = Lookup::Key { customer: &ours.customer, idempotency_key: ours.id.as_str() };
    let found = bank.fetch(lookup).await.map_err(PayError::Bank)?;
    let paid =
        found.is_some_and(|theirs| matches!(theirs.result.verdict(), PaymentVerdict::Succeeded { .. }));
    if !paid {
        report.defects.push(format!("{} is credited and the bank has no such payment", ours.id.0));
    }
    Ok(())
}
