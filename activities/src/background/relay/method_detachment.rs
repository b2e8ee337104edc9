//! Detaches removed payment methods at the bank.

use entities::{
    Db, OutboxRow,
    detachments::{self, Readiness},
    outbox,
};
use outbound::payments::{Banks, PaymentError};

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
}

/// Detaches a payment method at the bank, unless the account uses it again, and deletes the outbox
/// entry. Idempotent.
///
/// # Errors
/// Returns [`DetachError`] if it must be tried again later.
pub async fn detach_method(db: &Db, banks: &Banks, entry: &OutboxRow) -> Result<(), DetachError> {
    if let Some(detachment) = detachments::read(entry) {
        match detachment.readiness(db).await? {
            Readiness::Awaited => return Err(DetachError::PaymentPending),
            Readiness::Free => {
                banks.of(detachment.mode).detach_method(&detachment.customer, &detachment.method).await?;
            }
            Readiness::InUse => {}
        }
    }
    Ok(outbox::forget(db, entry).await?)
}
