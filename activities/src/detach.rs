//! Payment methods that were removed: the bank is asked to forget them.

use entities::{Db, OutboxRow, detachments, outbox, payment_methods, payments};
use outbound::payments::{Banks, PaymentError};

/// Why the bank has not forgotten a method yet.
#[derive(Debug, thiserror::Error)]
pub enum DetachError {
    /// The database.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The bank; whoever removed the method does not wait for it.
    #[error("the bank: {0}")]
    Bank(#[from] PaymentError),
    /// A payment that was decided on before needs the method.
    #[error("a payment with it is not decided")]
    Awaited,
}

/// Detaches a method at the bank, unless it pays for its account again, and forgets the promise. May be
/// repeated: what is detached stays so.
///
/// # Errors
/// [`DetachError`]; later it may work.
pub async fn detach_method(db: &Db, banks: &Banks, promise: &OutboxRow) -> Result<(), DetachError> {
    if let Some(wanted) = detachments::read(promise) {
        let tenant = wanted.tenant();
        let current = payment_methods::find(db, &tenant).await?;
        let is_current = current.is_some_and(|row| row.method == wanted.method);
        if !is_current {
            if payments::is_method_in_use(db, &tenant, &wanted.method).await? {
                return Err(DetachError::Awaited);
            }
            banks.of(wanted.mode).detach_method(&wanted.customer, &wanted.method).await?;
        }
    }
    Ok(outbox::forget(db, promise).await?)
}
