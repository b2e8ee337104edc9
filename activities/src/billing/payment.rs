//! Payments: the bank is asked, and what it says is recorded with the money it brings.

use std::time::Duration;

use domain::{
    PaymentId, Timestamp,
    payment::{PaymentKind, PaymentState, PaymentVerdict},
};
use entities::{Db, OutboxRow, PaymentRow, failpoint::line, payments, users};
use outbound::{
    mail::{Mail, MailError, Mailer},
    payments::{Banks, Lookup, PaymentError, PaymentRequest, Payments},
};

/// A payment that the bank never heard of is made for this long. Banks forget idempotency keys after a
/// day, and nobody expects to be charged for what they wanted yesterday.
const MADE_WITHIN: Duration = Duration::from_secs(23 * 60 * 60);

/// Why a payment could not be asked for. What the bank decides is not among it.
#[derive(Debug, thiserror::Error)]
pub enum PayError {
    /// The database.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] ledger::Error),
    /// The bank cannot be asked until someone sets something right.
    #[error("the bank: {0}")]
    Bank(PaymentError),
    /// There is no such payment.
    #[error("there is no payment {0}")]
    Unknown(PaymentId),
    /// The bank has another amount under this payment's key.
    #[error("{id} is over {ours} cents, the bank has {theirs}")]
    Amount {
        /// The payment.
        id: PaymentId,
        /// Its amount.
        ours: i64,
        /// The bank's.
        theirs: i64,
    },
}

/// Asks the bank for a payment, or what became of it, and settles it accordingly. May be repeated at any
/// time, also by several at once: one payment is made, and credited once.
///
/// # Errors
/// [`PayError`]; a bank that declines, or does not answer, is none.
pub async fn pay(db: &Db, banks: &Banks, id: &PaymentId, now: Timestamp) -> Result<PaymentState, PayError> {
    let payment = payments::system::find(db, id).await?.ok_or_else(|| PayError::Unknown(id.clone()))?;
    if payment.state.0 != PaymentState::Pending {
        return Ok(payment.state.0);
    }
    let verdict = ask(banks.of(payment.tenant().mode), &payment, now).await?;
    line();
    let settled =
        ledger::settle(db, id, &verdict, now).await?.ok_or_else(|| PayError::Unknown(id.clone()))?;
    let (state, credited) = (settled.payment.state.as_str(), settled.credited);
    tracing::info!(payment = %id, state, credited, "payment");
    Ok(settled.payment.state.0)
}

/// What the bank says. It is looked for before it is made: an earlier answer may have been lost.
async fn ask(bank: &dyn Payments, payment: &PaymentRow, now: Timestamp) -> Result<PaymentVerdict, PayError> {
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
        Ok(None) if payment.created_at.plus(MADE_WITHIN) <= now => {
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
        // Who asks for a top-up is there to confirm it.
        off_session: payment.kind.0 == PaymentKind::AutoRecharge,
    };
    line();
    match bank.create_payment(&request).await {
        Ok(result) => Ok(result.verdict()),
        Err(PaymentError::Invalid(reason)) => {
            tracing::warn!(payment = %payment.id.0, reason, "the bank takes no such payment");
            Ok(PaymentVerdict::Declined { reference: None, reason: "invalid_request".into() })
        }
        Err(error) => undecided(error),
    }
}

fn undecided(error: PaymentError) -> Result<PaymentVerdict, PayError> {
    if error.retryable() { Ok(PaymentVerdict::Open) } else { Err(PayError::Bank(error)) }
}

/// Tells the users of an account that an automatic top-up was not paid. Repeats are the same messages.
///
/// # Errors
/// When the database cannot be asked, or the mail may go later.
pub(crate) async fn tell_by_mail(db: &Db, mailer: &Mailer, promise: &OutboxRow) -> Result<(), MailFailed> {
    let Ok(id) = promise.subject.parse::<PaymentId>() else { return Ok(()) };
    let Some(payment) = payments::system::find(db, &id).await? else { return Ok(()) };
    for user in users::of_account(db, &payment.account_id).await? {
        let mail = mail(&payment, &user.id.0, user.email);
        match mailer.send(&mail).await {
            Err(error) if error.retryable() => return Err(error.into()),
            Err(error) => tracing::warn!(payment = %id, user = %user.id.0, %error, "not told by mail"),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Why nobody was told yet.
#[derive(Debug, thiserror::Error)]
pub enum MailFailed {
    /// The database.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The relay of mail; later it may work.
    #[error(transparent)]
    Mail(#[from] MailError),
}

fn mail(payment: &PaymentRow, user: &domain::UserId, to: String) -> Mail {
    let (whole, cents) = (payment.amount_cents / 100, payment.amount_cents % 100);
    let mode = payment.tenant().mode.as_str();
    let reason = payment.reason.as_deref().unwrap_or("card_declined");
    let what_to_do = match reason {
        // A bank that wants to see its customer often does not the next time.
        "authentication_required" => {
            "Your bank wants you to confirm it: top up once by hand in the console, confirm"
        }
        _ => "Check your payment method in the console",
    };
    let text = format!(
        "The automatic top-up of your {mode} wallet over ${whole}.{cents:02} was not paid ({reason}).\n\n\
         Automatic top-up is turned off now. {what_to_do},\nand turn it on again; \
         until then, scans that your balance does not cover are refused.\n"
    );
    let subject = "Your automatic top-up failed".into();
    Mail { id: format!("{}-{user}", payment.id.0), to, subject, text }
}
