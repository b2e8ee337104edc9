//! Telling people that their webhook endpoint was turned off.

use domain::UserId;
use entities::{Db, EndpointRow, OutboxRow, users, webhook_deliveries::Round, webhook_endpoints};
use outbound::mail::{Mail, Mailer};

use crate::recharge::MailFailed;

/// Tells the users of an account that an endpoint of theirs was turned off by the failure of a delivery.
/// Repeats are the same messages. Nobody is told of an endpoint that is deleted.
///
/// # Errors
/// When the database cannot be asked, or the mail may go later.
pub(crate) async fn tell_by_mail(db: &Db, mailer: &Mailer, promise: &OutboxRow) -> Result<(), MailFailed> {
    let Some(round) = Round::of_subject(&promise.subject) else { return Ok(()) };
    let Some(endpoint) = webhook_endpoints::system::find(db, &round.endpoint).await? else { return Ok(()) };
    for user in users::of_account(db, &endpoint.account_id).await? {
        let mail = mail(&endpoint, &round, promise, &user.id.0, user.email);
        match mailer.send(&mail).await {
            Err(error) if error.retryable() => return Err(error.into()),
            Err(error) => {
                tracing::warn!(endpoint = %endpoint.id.0, user = %user.id.0, %error, "not told by mail")
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

fn mail(endpoint: &EndpointRow, round: &Round, promise: &OutboxRow, user: &UserId, to: String) -> Mail {
    let (id, mode) = (&endpoint.id.0, endpoint.tenant().mode.as_str());
    // The path of a URL may hold what only its owner should read.
    let host = endpoint.url.split('/').nth(2).unwrap_or_default();
    let reason = promise.payload["reason"].as_str().unwrap_or("too many deliveries in a row failed");
    let text = format!(
        "Your {mode} webhook endpoint {id} at {host} was turned off at {at}: {reason}.\n\n\
         It gets no more events. When it answers again, turn it on in the console and ask for the events\n\
         that it missed: they are kept for 30 days.\n",
        at = promise.created_at.0,
    );
    let subject = "Your webhook endpoint was turned off".into();
    Mail { id: format!("{}-{id}-{}-{user}", round.event, round.number), to, subject, text }
}
