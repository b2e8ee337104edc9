//! Detaches removed payment methods at the bank.

use entities::{Db, OutboxRow, detachments, outbox, payment_methods, payments};
use outbound::payments::{PaymentError, PaymentProviders};

/// Why a payment method was not detached. It is tried again later.
#[derive(Debug, thiserror::Error)]
pub enum DetachError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The bank failed.
    #[error("the bank failed: {0}")]
    Bank(#[from] PaymentError),
    /// An open payment uses the method.
    #[error("an open payment uses the payment method")]
    PaymentPending,
    /// The outbox entry cannot be parsed.
    #[error("the outbox entry cannot be parsed")]
    Malformed,
}

/// Detaches a payment method at the bank, unless the account uses it again, and deletes the outbox
/// entry. Idempotent.
///
/// # Errors
/// Returns [`DetachError`] if it must be tried again later.
pub async fn detach_method(db: &Db, banks: &PaymentProviders, entry: &OutboxRow) -> Result<(), DetachError> {
    let detachment = detachments::parse(entry).ok_or(DetachError::Malformed)?;
    let tenant = detachment.tenant();
    let current = payment_methods::find(db, &tenant).await?;
    let is_current = current.is_some_and(|row| row.method == detachment.method);
    if !is_current {
        if payments::is_method_in_use(db, &tenant, &detachment.method).await? {
            return Err(DetachError::PaymentPending);
        }
        banks.of(detachment.mode).detach_method(&detachment.customer, &detachment.method).await?;
    }
    Ok(outbox::delete(db, entry).await?)
}
