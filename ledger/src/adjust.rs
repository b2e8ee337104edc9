//! Corrections by an operator. A correction is a new transaction, and the incorrect transaction
//! stays in the ledger.

use domain::{Timestamp, mode::Tenant, money::Cents};
use entities::{
    Db, WriteTxn, audit_log, ledger_entries,
    ledger_transactions::{self, TransactionKind},
};

use crate::{
    Credited, Error, Result, names,
    posting::{Posting, post},
    wallet,
};

/// A correction of a wallet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjustment {
    /// The tenant that owns the wallet.
    pub tenant: Tenant,
    /// Amount in cents: positive adds, negative removes.
    pub cents: Cents,
    /// Reason, for the audit log.
    pub reason: String,
    /// Idempotency key, chosen by the operator.
    pub reference: String,
    /// Whether it may make the balance negative.
    pub may_overdraw: bool,
}

/// Outcome of a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjusted {
    /// Recorded by this call or an earlier one.
    Done(Credited),
    /// It would have made the balance negative; nothing changed.
    WouldOverdraw {
        /// Balance in cents.
        balance_cents: Cents,
    },
}

/// Corrects a wallet with a separate transaction and an entry in the audit log.
///
/// # Errors
/// Returns [`Error::Amount`] for a zero amount, [`Error::ReferenceTaken`] if the reference belongs
/// to another correction, or an error if the database fails.
pub async fn adjust(db: &Db, adjustment: &Adjustment, now: Timestamp) -> Result<Adjusted> {
    if adjustment.cents == 0 || adjustment.cents.checked_neg().is_none() {
        return Err(Error::Amount(adjustment.cents));
    }
    let adjustment = adjustment.clone();
    db.write(async |txn| {
        let before = wallet::lock(&txn, &adjustment.tenant).await?;
        let recorded = is_recorded(&txn, &adjustment).await?;
        if !recorded {
            let remaining =
                before.balance_cents.checked_add(adjustment.cents).ok_or(Error::Amount(adjustment.cents))?;
            if remaining < 0 && adjustment.cents < 0 && !adjustment.may_overdraw {
                return Ok(Adjusted::WouldOverdraw { balance_cents: before.balance_cents });
            }
            record(&txn, &adjustment, now).await?;
        }
        let wallet = wallet::wallet(&txn, &adjustment.tenant).await?;
        let (balance_cents, free_scans) = (wallet.balance_cents, wallet.free_scans);
        Ok(Adjusted::Done(Credited { new: !recorded, balance_cents, free_scans }))
    })
    .await
}

/// Returns whether the correction is recorded.
///
/// # Errors
/// Returns [`Error::ReferenceTaken`] if the reference belongs to another correction.
async fn is_recorded(txn: &WriteTxn, adjustment: &Adjustment) -> Result<bool> {
    let found =
        ledger_transactions::find_by_reference(txn, TransactionKind::Adjustment, &adjustment.reference)
            .await?;
    let Some(found) = found else { return Ok(false) };
    let entries = ledger_entries::of_transactions(txn, std::slice::from_ref(&found.id.0)).await?;
    let wallet = names::wallet(&adjustment.tenant);
    let moved: Cents = entries.iter().filter(|e| e.ledger_account == wallet).map(|e| e.amount).sum();
    if found.tenant() == adjustment.tenant && moved == adjustment.cents {
        return Ok(true);
    }
    Err(Error::ReferenceTaken(adjustment.reference.clone()))
}

async fn record(txn: &WriteTxn, adjustment: &Adjustment, now: Timestamp) -> Result<()> {
    let tenant = &adjustment.tenant;
    let (wallet, corrections) = (names::wallet(tenant), names::adjustments(tenant));
    let (from, to) = if adjustment.cents > 0 { (corrections, wallet) } else { (wallet, corrections) };
    let mut posting =
        Posting::new(tenant, TransactionKind::Adjustment, now).cents(from, to, adjustment.cents.abs());
    posting.reference = Some(adjustment.reference.clone());
    if !post(txn, &posting).await? {
        // Another tenant, with another lock, took the reference after the lookup.
        return Err(Error::ReferenceTaken(adjustment.reference.clone()));
    }
    let entry = audit_log::NewEntry {
        account_id: &tenant.account_id,
        actor: "operator",
        action: "wallet.adjusted",
        subject: tenant.mode.as_str(),
        detail: serde_json::json!({
            "cents": adjustment.cents, "reason": adjustment.reason, "reference": adjustment.reference,
        }),
    };
    Ok(audit_log::append(txn, entry, now).await?)
}
