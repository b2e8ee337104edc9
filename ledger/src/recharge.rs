//! Automatic top-ups, created in the transaction that makes them necessary.

use std::time::Duration;

use domain::{
    Timestamp,
    money::Cents,
    payment::{MIN_PAYMENT_CENTS, PaymentKind},
};
use entities::{
    PaymentRow, WalletRow, WriteTxn,
    outbox::{self, Kind},
    payment_methods, payments,
};

use crate::Result;

/// Period of the daily limit of automatic top-ups.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates a top-up of at least `shortfall` cents, the amount missing for a scan. Does nothing if
/// automatic top-up is off, a top-up is pending or the daily limit is reached. The caller has
/// locked the wallet.
pub(crate) async fn begin(
    txn: &WriteTxn,
    wallet: &WalletRow,
    shortfall: Cents,
    now: Timestamp,
) -> Result<()> {
    let tenant = wallet.tenant();
    let Some(auto) = wallet.auto_recharge.as_ref().filter(|auto| auto.enabled) else { return Ok(()) };
    let Some(method) = payment_methods::find(txn, &tenant).await? else { return Ok(()) };
    let amount_cents = auto.amount_cents.max(shortfall).max(MIN_PAYMENT_CENTS);
    let recharged = payments::recharged_since(txn, &tenant, now.minus(DAY)).await?;
    if recharged.saturating_add(amount_cents) > auto.daily_limit_cents {
        return Ok(());
    }
    let payment = PaymentRow::new_pending(method, PaymentKind::AutoRecharge, amount_cents, now);
    if payments::insert_new(txn, &payment).await? {
        outbox::enqueue(txn, Kind::Payment, payment.id.as_str(), &serde_json::json!({}), now, now).await?;
    }
    Ok(())
}

/// Creates a top-up if the charge of `paid` cents leaves a balance below the threshold.
pub(crate) async fn begin_below_threshold(
    txn: &WriteTxn,
    wallet: &WalletRow,
    paid: Cents,
    now: Timestamp,
) -> Result<()> {
    let remaining = wallet.balance_cents - paid;
    match &wallet.auto_recharge {
        Some(auto) if paid > 0 && remaining < auto.threshold_cents => begin(txn, wallet, 0, now).await,
        _ => Ok(()),
    }
}
