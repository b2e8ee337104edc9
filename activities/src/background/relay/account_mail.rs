//! Messages about an account. Tokens are made here, right before they are mailed, so that none lies
//! anywhere but as a hash.

use std::time::Duration;

use domain::{Timestamp, Token, TokenPurpose};
use entities::{
    Db, OutboxRow, UserRow,
    account_mail::{self, Letter},
    outbox, user_tokens, users,
};
use outbound::mail::{Mail, Mailer};

use crate::recharge::MailFailed;

/// News that bears no token is told for this long.
const NEWS: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Mails what was promised, unless no one has the address, or it has become pointless. A repeat is the same
/// message with another token, as good as the first one's; mailboxes show one of them.
///
/// # Errors
/// When the database cannot be asked, or the mail may go later.
pub async fn send_account_mail(
    db: &Db,
    mailer: &Mailer,
    console_url: &str,
    promise: &OutboxRow,
    now: Timestamp,
) -> Result<(), MailFailed> {
    if let Some(mail) = compose(db, console_url, promise, now).await? {
        match mailer.send(&mail).await {
            Err(error) if error.retryable() => return Err(error.into()),
            Err(error) => tracing::warn!(message = mail.id, %error, "not mailed"),
            Ok(()) => {}
        }
    }
    Ok(outbox::forget(db, promise).await?)
}

async fn compose(
    db: &Db,
    console_url: &str,
    promise: &OutboxRow,
    now: Timestamp,
) -> Result<Option<Mail>, entities::Error> {
    let Some(wanted) = account_mail::read(promise) else { return Ok(None) };
    let Some(user) = users::find_by_email(db, &wanted.email).await? else { return Ok(None) };
    let purpose = match wanted.letter {
        Letter::ConfirmEmail if user.email_confirmed_at.is_some() => return Ok(None),
        Letter::ConfirmEmail => Some(TokenPurpose::ConfirmEmail),
        Letter::ResetPassword => Some(TokenPurpose::ResetPassword),
        Letter::AlreadySignedUp | Letter::PasswordChanged => None,
    };
    // Nobody waits for a link that they asked for longer ago than it would have been good.
    let asked_within = purpose.map_or(NEWS, TokenPurpose::lifetime);
    if promise.created_at.plus(asked_within) <= now {
        return Ok(None);
    }
    let token = match purpose {
        Some(purpose) => Some(issue(db, &user, purpose, now).await?),
        None => None,
    };
    let link = link(console_url, wanted.letter, token.as_ref());
    let (subject, text) = words(wanted.letter, &link);
    Ok(Some(Mail { id: promise.subject.clone(), to: user.email, subject: subject.into(), text }))
}

async fn issue(
    db: &Db,
    user: &UserRow,
    purpose: TokenPurpose,
    now: Timestamp,
) -> Result<Token, entities::Error> {
    db.write(async |txn| user_tokens::issue(&txn, &user.id, purpose, now).await).await
}

/// A page of the console. The token is in the query, because the page has no script that could read it from the
/// fragment; our logs keep paths only, and the page sends no `Referer` with a path.
fn link(console_url: &str, letter: Letter, token: Option<&Token>) -> String {
    let page = match letter {
        Letter::ConfirmEmail => "confirm-email",
        Letter::ResetPassword => "reset-password",
        Letter::AlreadySignedUp | Letter::PasswordChanged => "forgot-password",
    };
    match token {
        Some(token) => format!("{console_url}/{page}?token={}", token.reveal()),
        None => format!("{console_url}/{page}"),
    }
}

fn words(letter: Letter, link: &str) -> (&'static str, String) {
    match letter {
        Letter::ConfirmEmail => (
            "Confirm your e-mail address",
            format!(
                "Someone signed up for Scan Service with this address. If it was you, confirm it within 3 days:\n\n\
                 {link}\n\n\
                 If it was not you, there is nothing to do.\n"
            ),
        ),
        Letter::AlreadySignedUp => (
            "You have an account already",
            format!(
                "Someone signed up for Scan Service with this address, which has an account already. Nothing was\n\
                 changed. If it was you and you do not know your password any more, choose another:\n\n{link}\n"
            ),
        ),
        Letter::ResetPassword => (
            "Choose another password",
            format!(
                "Someone asked to choose another password for your account. If it was you, do so within the hour:\n\n\
                 {link}\n\n\
                 The link is good once. If it was not you, there is nothing to do: your password stays as it is.\n"
            ),
        ),
        Letter::PasswordChanged => (
            "Your password was changed",
            format!(
                "The password of your account was changed, and everyone who was logged in was logged out.\n\
                 If it was not you, choose another at once:\n\n{link}\n"
            ),
        ),
    }
}
