//! Credits: top-ups from the bank and grants by the service.

use domain::{Timestamp, mode::Tenant, money::Cents};
use entities::{
    Db, PaymentRow, WriteTxn, audit_log,
    ledger_transactions::{self, TransactionKind},
};

use crate::{
    Error, Result, names,
    posting::{Posting, post},
    wallet,
};

/// Outcome of crediting a wallet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credited {
    /// Whether this call credited it; `false` if the reference was credited before.
    pub new: bool,
    /// New balance in cents.
    pub balance_cents: Cents,
    /// New number of free scans.
    pub free_scans: i64,
}

/// A credit of money or free scans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// The tenant that owns the wallet.
    pub tenant: Tenant,
    /// Amount in cents.
    pub cents: Cents,
    /// Number of free scans; only for a grant.
    pub free_scans: u32,
    /// Reference of the caller, for example the bank's payment id. Each reference is credited once.
    pub reference: String,
}

/// Credits a top-up that the bank confirmed.
///
/// # Errors
/// Returns [`Error::Amount`] unless the amount is positive and without free scans,
/// [`Error::ReferenceTaken`] if the reference belongs to another top-up, or an error if the
/// database fails.
pub async fn credit(db: &Db, topup: &Credit, now: Timestamp) -> Result<Credited> {
    if topup.cents <= 0 || topup.free_scans != 0 {
        return Err(Error::Amount(topup.cents));
    }
    record(db, TransactionKind::Topup, topup, names::bank(&topup.tenant), now).await
}

/// Grants a tenant money or free scans.
///
/// # Errors
/// Returns [`Error::Amount`] if the amounts are negative or all zero, [`Error::ReferenceTaken`] if
/// the reference belongs to another grant, or an error if the database fails.
pub async fn grant(db: &Db, grant: &Credit, now: Timestamp) -> Result<Credited> {
    if grant.cents < 0 || (grant.cents == 0 && grant.free_scans == 0) {
        return Err(Error::Amount(grant.cents));
    }
    record(db, TransactionKind::Grant, grant, names::grants(&grant.tenant), now).await
}

async fn record(
    db: &Db,
    kind: TransactionKind,
    credit: &Credit,
    from: String,
    now: Timestamp,
) -> Result<Credited> {
    let credit = credit.clone();
    db.write(async |txn| {
        wallet::lock(&txn, &credit.tenant).await?;
        let new = record_in(&txn, kind, &credit, from.clone(), now).await?;
        if new && kind == TransactionKind::Grant {
            log_grant(&txn, &credit, now).await?;
        }
        let wallet = wallet::wallet(&txn, &credit.tenant).await?;
        Ok(Credited { new, balance_cents: wallet.balance_cents, free_scans: wallet.free_scans })
    })
    .await
}

/// Records in the audit log that an operator granted money or free scans.
async fn log_grant(txn: &WriteTxn, grant: &Credit, now: Timestamp) -> Result<()> {
    let entry = audit_log::NewEntry {
        account_id: &grant.tenant.account_id,
        actor: "operator",
        action: "wallet.granted",
        subject: grant.tenant.mode.as_str(),
        detail: serde_json::json!({
            "cents": grant.cents, "free_scans": grant.free_scans, "reference": grant.reference,
        }),
    };
    Ok(audit_log::append(txn, entry, now).await?)
}

/// Credits a payment. The caller has locked the wallet. Returns whether this call credited it.
pub(crate) async fn credit_payment(txn: &WriteTxn, payment: &PaymentRow, now: Timestamp) -> Result<bool> {
    let tenant = payment.tenant();
    let from = names::bank(&tenant);
    let reference = payment.id.to_string();
    let topup = Credit { tenant, cents: payment.amount_cents, free_scans: 0, reference };
    record_in(txn, TransactionKind::Topup, &topup, from, now).await
}

async fn record_in(
    txn: &WriteTxn,
    kind: TransactionKind,
    credit: &Credit,
    from: String,
    now: Timestamp,
) -> Result<bool> {
    let tenant = &credit.tenant;
    let mut posting = Posting::new(tenant, kind, now)
        .cents(from, names::wallet(tenant), credit.cents)
        .free_scans(names::free_granted(tenant), names::free(tenant), i64::from(credit.free_scans));
    posting.reference = Some(credit.reference.clone());
    let new = post(txn, &posting).await?;
    if !new {
        let earlier = ledger_transactions::find_by_reference(txn, kind, &credit.reference).await?;
        let same = earlier
            .is_some_and(|earlier| earlier.tenant() == *tenant && earlier.amount_cents == credit.cents);
        if !same {
            return Err(Error::ReferenceTaken(credit.reference.clone()));
        }
    }
    Ok(new)
}
