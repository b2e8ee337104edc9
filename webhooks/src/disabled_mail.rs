//! Mail to the owner of an endpoint that the service disabled.

use domain::UserId;
use entities::{Db, EndpointRow, OutboxRow, users, webhook_deliveries::Round, webhook_endpoints};
use outbound::mail::{Mail, Mailer};

use crate::error::Result;

/// Mails the users of an account that one of their endpoints was disabled after failed deliveries.
///
/// Sends nothing if the endpoint has been deleted. Idempotent: a repeated call sends mails with the
/// same ids.
///
/// # Errors
/// Returns an error if the database is unavailable, or if the mail server may accept a mail later.
pub async fn mail_endpoint_disabled(db: &Db, mailer: &Mailer, entry: &OutboxRow) -> Result<()> {
    let Some(round) = Round::of_subject(&entry.subject) else { return Ok(()) };
    let Some(endpoint) = webhook_endpoints::system::find(db, &round.endpoint).await? else { return Ok(()) };
    for user in users::of_account(db, &endpoint.account_id).await? {
        let mail = mail(&endpoint, &round, entry, &user.id.0, user.email);
        match mailer.send(&mail).await {
            Err(error) if error.retryable() => return Err(error.into()),
            Err(error) => {
                let (endpoint, user) = (&endpoint.id.0, &user.id.0);
                tracing::warn!(%endpoint, %user, %error, "the mail about a disabled endpoint was rejected");
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

fn mail(endpoint: &EndpointRow, round: &Round, entry: &OutboxRow, user: &UserId, to: String) -> Mail {
    let (id, mode) = (&endpoint.id.0, endpoint.tenant().mode.as_str());
    // The path of the URL may contain a secret of the owner.
    let host = endpoint.url.split('/').nth(2).unwrap_or_default();
    let reason = entry.payload["reason"].as_str().unwrap_or("too many deliveries in a row failed");
    let text = format!(
        "Your {mode} webhook endpoint {id} at {host} was turned off at {at}: {reason}.\n\n\
         It receives no more events. When it responds again, turn it on in the console and replay the events\n\
         that it missed. Events are kept for 30 days.\n",
        at = entry.created_at.0,
    );
    let subject = "Your webhook endpoint was turned off".into();
    Mail { id: format!("{}-{id}-{}-{user}", round.event, round.number), to, subject, text }
}
