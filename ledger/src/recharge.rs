//! Automatic top-ups: when one is called for, it is decided on in the transaction that calls for it.

use std::time::Duration;

use domain::{
    Timestamp,
    money::Cents,
    payment::{LEAST_CENTS, PaymentKind},
};
use entities::{
    PaymentRow, WalletRow, WriteTxn,
    outbox::{self, Kind},
    payment_methods, payments,
};

use crate::Result;

/// The daily limit counts automatic top-ups of this long.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A scan could not be paid, `shortfall` cents were missing: decides on a top-up that closes at least
/// that gap, unless the wallet has none set up, one is under way, or the daily limit is in the way.
/// The caller has locked the wallet.
pub(crate) async fn begin(
    txn: &WriteTxn,
    wallet: &WalletRow,
    shortfall: Cents,
    now: Timestamp,
) -> Result<()> {
    let tenant = wallet.tenant();
    let Some(auto) = wallet.auto_recharge.as_ref().filter(|auto| auto.enabled) else { return Ok(()) };
    let Some(method) = payment_methods::find(txn, &tenant).await? else { return Ok(()) };
    let amount_cents = auto.amount_cents.max(shortfall).max(LEAST_CENTS);
    let today = payments::recharged_since(txn, &tenant, now.minus(DAY)).await?;
    if today.saturating_add(amount_cents) > auto.daily_limit_cents {
        return Ok(());
    }
    let payment = PaymentRow::decided(method, PaymentKind::AutoRecharge, amount_cents, now);
    if payments::insert_new(txn, &payment).await? {
        outbox::enqueue(txn, Kind::Payment, payment.id.as_str(), &serde_json::json!({}), now, now).await?;
    }
    Ok(())
}

/// A scan was paid: decides on a top-up when it left less than the threshold.
pub(crate) async fn begin_below_threshold(
    txn: &WriteTxn,
    wallet: &WalletRow,
    paid: Cents,
    now: Timestamp,
) -> Result<()> {
    let left = wallet.balance_cents - paid;
    match &wallet.auto_recharge {
        Some(auto) if paid > 0 && left < auto.threshold_cents => begin(txn, wallet, 0, now).await,
        _ => Ok(()),
    }
}
