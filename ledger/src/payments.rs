//! Payments: decided on, and settled as the bank says, with the money that they bring.

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

/// A top-up that its owner asks for.
#[derive(Debug, Clone)]
pub struct NewTopUp {
    /// Whose wallet.
    pub tenant: Tenant,
    /// How much, in cents.
    pub amount_cents: Cents,
    /// The owner's name of it: the same name is the same top-up.
    pub idempotency_key: String,
    /// Who asks, for the audit log.
    pub asked_by: String,
}

/// What came of asking for a top-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopUp {
    /// Decided on now; the bank is to be asked.
    New(PaymentRow),
    /// Decided on before.
    Known(PaymentRow),
    /// The name belongs to a top-up of another amount.
    KeyReused,
    /// There is nothing to charge.
    NoPaymentMethod,
}

/// A payment after something was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The payment now.
    pub payment: PaymentRow,
    /// Whether its money came into the wallet by this call.
    pub credited: bool,
}

/// Decides on a top-up, with the promise that the bank will be asked for it.
///
/// # Errors
/// [`Error::Amount`] unless it is a positive number of cents; of the database; when the account was ended.
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
            ..PaymentRow::decided(method, PaymentKind::TopUp, new.amount_cents, now)
        };
        payments::insert_new(&txn, &payment).await?;
        let entry = audit_log::NewEntry {
            account_id: &payment.account_id,
            actor: &new.asked_by,
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

/// Records what the bank said of a payment: credits it once when it was paid; when an automatic top-up was
/// not, turns these off and writes the event that says so. `None` when there is no such payment.
///
/// What the bank says may come repeatedly and out of order. Money that was taken is credited whatever was
/// said before; nothing else moves a payment that is decided.
///
/// # Errors
/// Of the database.
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
        // Read again: it may have been settled while the lock was waited for.
        let payment = payments::system::find(&txn, &id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("{id} vanished")))?;
        let credited = apply(&txn, &wallet, &payment, &verdict, now).await?;
        let payment = payments::system::find(&txn, &id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("{id} vanished")))?;
        Ok(Some(Settled { payment, credited }))
    })
    .await
}

/// What went back of a payment at the bank, as far as is told; it only grows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reversal {
    /// All that was refunded so far, in cents.
    pub refunded_cents: Cents,
    /// The bank's word for how a dispute stands (`needs_response`, `won`, `lost`, …).
    pub dispute: Option<String>,
}

/// Notes what went back of a payment, in the payment and in the audit log: an operator decides what follows,
/// the wallet stays as it is. Says whether that was news. Repeats, and what comes out of order, are none.
///
/// # Errors
/// Of the database.
pub async fn record_reversal(db: &Db, id: &PaymentId, told: &Reversal, now: Timestamp) -> Result<bool> {
    let (id, told) = (id.clone(), told.clone());
    db.write(async |txn| {
        let Some(found) = payments::system::find(&txn, &id).await? else { return Ok(false) };
        wallet::lock(&txn, &found.tenant()).await?;
        let payment = payments::system::find(&txn, &id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("{id} vanished")))?;
        let refunded_cents = payment.refunded_cents.max(told.refunded_cents);
        let dispute = match (&payment.dispute, &told.dispute) {
            (Some(known), _) if is_closed(known) => Some(known),
            (known, told) => told.as_ref().or(known.as_ref()),
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

/// Whether a dispute that stands so will stand so for ever.
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
        outbox::done_in(txn, Kind::Payment, id.as_str(), now).await
    };
    match verdict {
        PaymentVerdict::Succeeded { reference } if state != Succeeded => {
            mark(Succeeded, Some(reference), None).await?;
            return credit_payment(txn, payment, now).await;
        }
        PaymentVerdict::Declined { reference, reason } if matches!(state, Pending | NeedsAction) => {
            mark(Declined, reference.as_deref(), Some(reason)).await?;
            if state == Pending {
                turn_off(txn, wallet, payment, reason, now).await?;
            }
        }
        PaymentVerdict::NeedsAction { reference } if state == Pending => {
            let reason = "authentication_required";
            mark(NeedsAction, Some(reference), Some(reason)).await?;
            turn_off(txn, wallet, payment, reason, now).await?;
        }
        _ => {}
    }
    Ok(false)
}

/// Automatic top-ups end with the first that is not paid; its owner is told by event and by mail.
async fn turn_off(
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
    let nothing = serde_json::json!({});
    outbox::enqueue(txn, Kind::RechargeMail, payment.id.as_str(), &nothing, now, now).await?;
    Ok(())
}
