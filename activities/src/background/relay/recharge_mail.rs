//! The mail about an automatic top-up that was not paid.

use domain::{PaymentId, UserId};
use entities::{Db, OutboxRow, PaymentRow, payments, users};
use outbound::mail::{Mail, Mailer};

use super::MailFailed;

/// Mails the users of an account that an automatic top-up was not paid. A repeat sends the same
/// messages with the same ids.
///
/// # Errors
/// Returns an error if the database is unavailable, the subject is not a payment, or sending can be
/// retried.
pub(super) async fn send(db: &Db, mailer: &Mailer, entry: &OutboxRow) -> Result<(), MailFailed> {
    let id: PaymentId = entry.subject.parse().map_err(|_| MailFailed::Malformed)?;
    let Some(payment) = payments::system::find(db, &id).await? else { return Ok(()) };
    for user in users::of_account(db, &payment.account_id).await? {
        let mail = compose(&payment, &user.id.0, user.email);
        match mailer.send(&mail).await {
            Err(error) if error.retryable() => return Err(error.into()),
            Err(error) => {
                tracing::warn!(payment = %id, user = %user.id.0, %error, "the mail server rejected a message");
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

fn compose(payment: &PaymentRow, user: &UserId, to: String) -> Mail {
    let (whole, cents) = (payment.amount_cents / 100, payment.amount_cents % 100);
    let mode = payment.tenant().mode.as_str();
    let reason = payment.reason.as_deref().unwrap_or("card_declined");
    let advice = match reason {
        // After one confirmed payment, banks often accept the next ones without confirmation.
        "authentication_required" => {
            "Your bank wants you to confirm the payment. Top up once by hand in the console, confirm it"
        }
        _ => "Check your payment method in the console",
    };
    let text = format!(
        "The automatic top-up of your {mode} wallet by ${whole}.{cents:02} was not paid ({reason}).\n\n\
         Automatic top-up is turned off now. {advice},\nand turn it on again. \
         Until then, scans that your balance does not cover are refused.\n"
    );
    let subject = "Your automatic top-up failed".into();
    Mail { id: format!("{}-{user}", payment.id.0), to, subject, text }
}
