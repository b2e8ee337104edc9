//! Corrections by an operator. A correction is a new transaction; the wrong ones stay in the
//! ledger.

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
    /// Idempotency key by the operator.
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
pub async fn adjust(db: &Db, wanted: &Adjustment, now: Timestamp) -> Result<Adjusted> {
    if wanted.cents == 0 || wanted.cents.checked_neg().is_none() {
        return Err(Error::Amount(wanted.cents));
    }
    let wanted = wanted.clone();
    db.write(async |txn| {
        let before = wallet::lock(&txn, &wanted.tenant).await?;
        let known = is_known(&txn, &wanted).await?;
        if !known {
            let left = before.balance_cents.checked_add(wanted.cents).ok_or(Error::Amount(wanted.cents))?;
            if left < 0 && wanted.cents < 0 && !wanted.may_overdraw {
                return Ok(Adjusted::WouldOverdraw { balance_cents: before.balance_cents });
            }
            record(&txn, &wanted, now).await?;
        }
        let wallet = wallet::wallet(&txn, &wanted.tenant).await?;
        let (balance_cents, free_scans) = (wallet.balance_cents, wallet.free_scans);
        Ok(Adjusted::Done(Credited { new: !known, balance_cents, free_scans }))
    })
    .await
}

/// Returns whether the correction is recorded.
async fn is_known(txn: &WriteTxn, wanted: &Adjustment) -> Result<bool> {
    let found =
        ledger_transactions::find_by_reference(txn, TransactionKind::Adjustment, &wanted.reference).await?;
    let Some(found) = found else { return Ok(false) };
    let entries = ledger_entries::of_transactions(txn, std::slice::from_ref(&found.id.0)).await?;
    let of_wallet = names::wallet(&wanted.tenant);
    let moved: Cents = entries.iter().filter(|e| e.ledger_account == of_wallet).map(|e| e.amount).sum();
    if found.tenant() == wanted.tenant && moved == wanted.cents {
        return Ok(true);
    }
    Err(Error::ReferenceTaken(wanted.reference.clone()))
}

async fn record(txn: &WriteTxn, wanted: &Adjustment, now: Timestamp) -> Result<()> {
    let tenant = &wanted.tenant;
    let (wallet, corrections) = (names::wallet(tenant), names::adjustments(tenant));
    let (from, to) = if wanted.cents > 0 { (corrections, wallet) } else { (wallet, corrections) };
    let mut posting =
        Posting::new(tenant, TransactionKind::Adjustment, now).cents(from, to, wanted.cents.abs());
    posting.reference = Some(wanted.reference.clone());
    if !post(txn, &posting).await? {
        // Another tenant, with another lock, took the reference after the lookup.
        return Err(Error::ReferenceTaken(wanted.reference.clone()));
    }
    let entry = audit_log::NewEntry {
        account_id: &tenant.account_id,
        actor: "operator",
        action: "wallet.adjusted",
        subject: tenant.mode.as_str(),
        detail: serde_json::json!({
            "cents": wanted.cents, "reason": wanted.reason, "reference": wanted.reference,
        }),
    };
    Ok(audit_log::append(txn, entry, now).await?)
}
