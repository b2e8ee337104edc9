//! Makes payments at the bank, and settles them in the ledger.

use std::time::Duration;

use domain::{
    PaymentId, Timestamp,
    payment::{PaymentKind, PaymentState, PaymentVerdict},
};
use entities::{Db, PaymentRow, payments};
use outbound::payments::{Lookup, PaymentError, PaymentProvider, PaymentProviders, PaymentRequest};

/// Maximum age at which a payment is created at the bank. An older one is declined: banks forget
/// idempotency keys after a day, and the owner no longer expects the payment.
const MAX_AGE_TO_CREATE: Duration = Duration::from_secs(23 * 60 * 60);

/// Why the state of a payment could not be determined. A bank's refusal is not an error.
#[derive(Debug, thiserror::Error)]
pub enum PayError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] ledger::Error),
    /// The bank rejects requests until an operator corrects the configuration.
    #[error("the bank rejected the request: {0}")]
    Bank(PaymentError),
    /// There is no such payment.
    #[error("there is no payment {0}")]
    Unknown(PaymentId),
    /// The bank has another amount under this payment's idempotency key.
    #[error("payment {id} is {ours} cents here and {theirs} cents at the bank")]
    Amount {
        /// The payment.
        id: PaymentId,
        /// Amount here, in cents.
        ours: i64,
        /// Amount at the bank, in cents.
        theirs: i64,
    },
}

/// Makes a payment at the bank, or looks up its state, and settles it if the bank has decided.
///
/// Idempotent, also for concurrent callers: one payment is made at the bank and credited once.
///
/// # Errors
/// Returns [`PayError`]. A bank that declines or does not respond is not an error.
pub async fn pay(
    db: &Db,
    banks: &PaymentProviders,
    id: &PaymentId,
    now: Timestamp,
) -> Result<PaymentState, PayError> {
    let payment = payments::system::find(db, id).await?.ok_or_else(|| PayError::Unknown(id.clone()))?;
    if payment.state.0 != PaymentState::Pending {
        return Ok(payment.state.0);
    }
    let verdict = request_verdict(banks.of(payment.tenant().mode), &payment, now).await?;
    entities::failpoint::trigger();
    let settled =
        ledger::settle(db, id, &verdict, now).await?.ok_or_else(|| PayError::Unknown(id.clone()))?;
    let (state, credited) = (settled.payment.state.as_str(), settled.credited);
    tracing::info!(payment = %id, state, credited, "settled a payment");
    Ok(settled.payment.state.0)
}

/// Returns the bank's verdict. Looks the payment up before making it, because an earlier response
/// may have been lost.
async fn request_verdict(
    bank: &dyn PaymentProvider,
    payment: &PaymentRow,
    now: Timestamp,
) -> Result<PaymentVerdict, PayError> {
    let lookup = Lookup::Key { customer: &payment.customer, idempotency_key: payment.id.as_str() };
    match bank.fetch(lookup).await {
        Ok(Some(found)) if found.amount_cents == payment.amount_cents => return Ok(found.result.verdict()),
        Ok(Some(found)) => {
            return Err(PayError::Amount {
                id: payment.id.0.clone(),
                ours: payment.amount_cents,
                theirs: found.amount_cents,
            });
        }
        Ok(None) if payment.created_at.plus(MAX_AGE_TO_CREATE) <= now => {
            return Ok(PaymentVerdict::Declined { reference: None, reason: "bank_unreachable".into() });
        }
        Ok(None) => {}
        Err(error) => return undecided(error),
    }
    let request = PaymentRequest {
        idempotency_key: payment.id.to_string(),
        account: payment.account_id.0.clone(),
        customer: payment.customer.clone(),
        payment_method: payment.method.clone(),
        amount_cents: payment.amount_cents,
        // The owner who requests a top-up is present and can confirm it.
        off_session: payment.kind.0 == PaymentKind::AutoRecharge,
    };
    entities::failpoint::trigger();
    match bank.create_payment(&request).await {
        Ok(result) => Ok(result.verdict()),
        Err(PaymentError::Invalid(reason)) => {
            tracing::warn!(payment = %payment.id.0, reason, "the bank rejected the payment");
            Ok(PaymentVerdict::Declined { reference: None, reason: "invalid_request".into() })
        }
        Err(error) => undecided(error),
    }
}

/// Treats a transient failure as an open payment.
fn undecided(error: PaymentError) -> Result<PaymentVerdict, PayError> {
    if error.retryable() { Ok(PaymentVerdict::Open) } else { Err(PayError::Bank(error)) }
}
