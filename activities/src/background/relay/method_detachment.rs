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
    /// The outbox entry cannot be parsed.
    #[error("the outbox entry cannot be parsed")]
    Malformed,
}

/// Outcome of a detachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetachOutcome {
    /// The method is detached, or the account uses it again. The outbox entry is deleted.
    Done,
    /// An open payment uses the method. Nothing changed; it must be tried again later.
    PaymentPending,
}

/// Detaches a payment method at the bank, unless the account uses it again, and deletes the outbox
/// entry. Idempotent.
///
/// # Errors
/// Returns [`DetachError`] if it must be tried again later.
pub async fn detach_method(
    db: &Db,
    banks: &PaymentProviders,
    entry: &OutboxRow,
) -> Result<DetachOutcome, DetachError> {
    let detachment = detachments::parse(entry).ok_or(DetachError::Malformed)?;
    let tenant = detachment.tenant();
    let current = payment_methods::find(db, &tenant).await?;
    let is_current = current.is_some_and(|row| row.method == detachment.method);
    if !is_current {
        if payments::is_method_in_use(db, &tenant, &detachment.method).await? {
            return Ok(DetachOutcome::PaymentPending);
        }
        banks.of(detachment.mode).detach_method(&detachment.customer, &detachment.method).await?;
    }
    outbox::delete(db, entry).await?;
    Ok(DetachOutcome::Done)
}
