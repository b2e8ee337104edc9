//! Creates payments, and settles them with the outcome from the bank, in the transaction that moves
//! the money.

use domain::{
    PaymentId, Timestamp,
    event::Event,
    mode::Tenant,
    money::Cents,
    payment::{PaymentKind, PaymentState, PaymentVerdict},
};
use entities::{
    Db, PaymentRow, WalletRow, WriteTxn, accounts, audit_log, events,
    outbox::{self, Kind},
    payment_methods, payments,
    wallets::{self, AutoRecharge},
};

use crate::{Error, Result, credit::credit_payment, wallet};

/// A top-up requested by the account's owner.
#[derive(Debug, Clone)]
pub struct NewTopUp {
    /// The tenant that owns the wallet.
    pub tenant: Tenant,
    /// Amount in cents.
    pub amount_cents: Cents,
    /// Idempotency key, chosen by the owner.
    pub idempotency_key: String,
    /// User or operator who requested it, for the audit log.
    pub requested_by: String,
}

/// Outcome of requesting a top-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopUp {
    /// Created by this call; the request to the bank follows.
    New(PaymentRow),
    /// Created by an earlier call.
    Known(PaymentRow),
    /// The idempotency key was used with another amount.
    KeyReused,
    /// The tenant has no payment method.
    NoPaymentMethod,
}

/// A payment after the bank reported on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The changed payment.
    pub payment: PaymentRow,
    /// Whether this call credited the wallet.
    pub credited: bool,
}

/// Creates a top-up with the outbox entry that requests it from the bank.
///
/// # Errors
/// Returns [`Error::Amount`] unless the amount is positive, or an error if the account is closed or
/// the database fails.
pub async fn begin_top_up(db: &Db, new: &NewTopUp, now: Timestamp) -> Result<TopUp> {
    if new.amount_cents <= 0 {
        return Err(Error::Amount(new.amount_cents));
    }
    let new = new.clone();
    db.write(async |txn| {
        accounts::require_open(&txn, &new.tenant.account_id).await?;
        wallet::lock(&txn, &new.tenant).await?;
        if let Some(known) = payments::find_by_key(&txn, &new.tenant, &new.idempotency_key).await? {
            let same = known.amount_cents == new.amount_cents;
            return Ok(if same { TopUp::Known(known) } else { TopUp::KeyReused });
        }
        let Some(method) = payment_methods::find(&txn, &new.tenant).await? else {
            return Ok(TopUp::NoPaymentMethod);
        };
        let payment = PaymentRow {
            idempotency_key: Some(new.idempotency_key.clone()),
            ..PaymentRow::new_pending(method, PaymentKind::TopUp, new.amount_cents, now)
        };
        payments::insert_new(&txn, &payment).await?;
        let entry = audit_log::NewEntry {
            account_id: &payment.account_id,
            actor: &new.requested_by,
            action: "top_up.created",
            subject: payment.id.as_str(),
            detail: serde_json::json!({ "amount_cents": payment.amount_cents, "livemode": payment.livemode }),
        };
        audit_log::append(&txn, entry, now).await?;
        outbox::enqueue_after_grace(&txn, Kind::Payment, payment.id.as_str(), now).await?;
        Ok(TopUp::New(payment))
    })
    .await
}

/// Records the outcome of a payment at the bank. A successful payment is credited once. A failed
/// automatic top-up turns automatic top-up off and writes the event that reports it. Returns `None`
/// if the payment does not exist.
///
/// Outcomes may arrive repeatedly and out of order. A success is always credited; any other outcome
/// leaves a decided payment unchanged.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn settle(
    db: &Db,
    id: &PaymentId,
    verdict: &PaymentVerdict,
    now: Timestamp,
) -> Result<Option<Settled>> {
    let (id, verdict) = (id.clone(), verdict.clone());
    db.write(async |txn| {
        let Some(found) = payments::system::find(&txn, &id).await? else { return Ok(None) };
        let wallet = wallet::lock(&txn, &found.tenant()).await?;
        // Read again: the payment may have been settled before the lock was acquired.
        let payment = payments::system::find(&txn, &id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("{id} does not exist")))?;
        let credited = apply(&txn, &wallet, &payment, &verdict, now).await?;
        let payment = payments::system::find(&txn, &id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("{id} does not exist")))?;
        Ok(Some(Settled { payment, credited }))
    })
    .await
}

/// Refunds and disputes of a payment at the bank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reversal {
    /// Total refunded amount so far, in cents. It never decreases.
    pub refunded_cents: Cents,
    /// The bank's status of a dispute: `needs_response`, `won`, `lost`, …
    pub dispute: Option<String>,
}

/// Records refunds and disputes of a payment, in the payment and in the audit log. The wallet stays
/// unchanged: an operator decides about corrections. Returns `false` for repeated and outdated
/// reports.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn record_reversal(db: &Db, id: &PaymentId, reversal: &Reversal, now: Timestamp) -> Result<bool> {
    let (id, reversal) = (id.clone(), reversal.clone());
    db.write(async |txn| {
        let Some(found) = payments::system::find(&txn, &id).await? else { return Ok(false) };
        wallet::lock(&txn, &found.tenant()).await?;
        let payment = payments::system::find(&txn, &id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("{id} does not exist")))?;
        let refunded_cents = payment.refunded_cents.max(reversal.refunded_cents);
        let dispute = match (&payment.dispute, &reversal.dispute) {
            (Some(known), _) if is_closed(known) => Some(known),
            (known, reported) => reported.as_ref().or(known.as_ref()),
        };
        if (refunded_cents, dispute) == (payment.refunded_cents, payment.dispute.as_ref()) {
            return Ok(false);
        }
        let dispute = dispute.map(String::as_str);
        payments::system::record_reversal(&txn, &id, refunded_cents, dispute, now).await?;
        let entry = audit_log::NewEntry {
            account_id: &payment.account_id,
            actor: "bank",
            action: "payment.given_back",
            subject: id.as_str(),
            detail: serde_json::json!({ "refunded_cents": refunded_cents, "dispute": dispute }),
        };
        audit_log::append(&txn, entry, now).await?;
        Ok(true)
    })
    .await
}

/// Returns whether this status of a dispute is final.
fn is_closed(dispute: &str) -> bool {
    matches!(dispute, "won" | "lost" | "warning_closed")
}

async fn apply(
    txn: &WriteTxn,
    wallet: &WalletRow,
    payment: &PaymentRow,
    verdict: &PaymentVerdict,
    now: Timestamp,
) -> Result<bool> {
    use PaymentState::{Declined, NeedsAction, Pending, Succeeded};
    let (state, id) = (payment.state.0, &payment.id.0);
    let mark = async |state, reference: Option<&str>, reason: Option<&str>| {
        payments::system::mark(txn, id, state, reference, reason, now).await?;
        outbox::complete_in(txn, Kind::Payment, id.as_str(), now).await
    };
    match verdict {
        PaymentVerdict::Succeeded { reference } if state != Succeeded => {
            mark(Succeeded, Some(reference), None).await?;
            return credit_payment(txn, payment, now).await;
        }
        PaymentVerdict::Declined { reference, reason } if matches!(state, Pending | NeedsAction) => {
            mark(Declined, reference.as_deref(), Some(reason)).await?;
            if state == Pending {
                turn_off_auto_recharge(txn, wallet, payment, reason, now).await?;
            }
        }
        PaymentVerdict::NeedsAction { reference } if state == Pending => {
            let reason = "authentication_required";
            mark(NeedsAction, Some(reference), Some(reason)).await?;
            turn_off_auto_recharge(txn, wallet, payment, reason, now).await?;
        }
        _ => {}
    }
    Ok(false)
}

/// Turns automatic top-up off if the failed payment was one, and notifies the owner by event and
/// mail.
async fn turn_off_auto_recharge(
    txn: &WriteTxn,
    wallet: &WalletRow,
    payment: &PaymentRow,
    reason: &str,
    now: Timestamp,
) -> Result<()> {
    if payment.kind.0 != PaymentKind::AutoRecharge {
        return Ok(());
    }
    let tenant = payment.tenant();
    let off = wallet.auto_recharge.as_ref().map(|auto| AutoRecharge { enabled: false, ..auto.0.clone() });
    wallets::set_auto_recharge(txn, &tenant, off).await?;
    let event = Event::of_failed_recharge(&payment.id, tenant.mode, reason, payment.amount_cents, now);
    events::publish(txn, &tenant, None, &event).await?;
    let payload = serde_json::json!({});
    outbox::enqueue(txn, Kind::RechargeMail, payment.id.as_str(), &payload, now, now).await?;
    Ok(())
}
