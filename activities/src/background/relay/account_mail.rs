//! Messages about an account: confirmation of the address, and changes of the password.
//!
//! A token is created here, right before it is mailed. The database only has its hash.

use std::time::Duration;

use domain::{Timestamp, Token, TokenPurpose};
use entities::{
    Db, OutboxRow, UserRow,
    account_mail::{self, AccountMail, MailKind},
    accounts, email_changes, outbox, user_tokens, users,
};
use outbound::mail::{Mail, Mailer};

use super::MailFailed;

/// Maximum age of a message. Older ones are dropped, even those that cannot be parsed, because an
/// entry contains an address.
const MAX_AGE: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Sends the message of an outbox entry and deletes the entry. Obsolete messages are dropped, and
/// so are messages to addresses without a user.
///
/// A repeat sends the same message with another token, which is also valid. Both have the same
/// message id, so mailboxes show one of them.
///
/// # Errors
/// Returns an error if the database is unavailable, the entry cannot be parsed, or sending can be
/// retried.
pub async fn send_account_mail(
    db: &Db,
    mailer: &Mailer,
    console_url: &str,
    entry: &OutboxRow,
    now: Timestamp,
) -> Result<(), MailFailed> {
    if let Some(mail) = compose(db, console_url, entry, now).await? {
        match mailer.send(&mail).await {
            Err(error) if error.retryable() => return Err(error.into()),
            Err(error) => tracing::warn!(message = mail.id, %error, "the mail server rejected a message"),
            Ok(()) => {}
        }
    }
    Ok(outbox::delete(db, entry).await?)
}

async fn compose(
    db: &Db,
    console_url: &str,
    entry: &OutboxRow,
    now: Timestamp,
) -> Result<Option<Mail>, MailFailed> {
    if entry.created_at.plus(MAX_AGE) <= now {
        return Ok(None);
    }
    let request = account_mail::parse(entry).ok_or(MailFailed::Malformed)?;
    let Some(user) = find_user(db, &request).await? else { return Ok(None) };
    if request.kind == MailKind::ChangeEmail {
        return compose_email_change(db, console_url, entry, &user, &request.email, now).await;
    }
    let purpose = match request.kind {
        MailKind::ConfirmEmail if user.email_confirmed_at.is_some() => return Ok(None),
        MailKind::ConfirmEmail => Some(TokenPurpose::ConfirmEmail),
        MailKind::ResetPassword => Some(TokenPurpose::ResetPassword),
        MailKind::AlreadySignedUp
        | MailKind::PasswordChanged
        | MailKind::ChangeEmail
        | MailKind::EmailChanged => None,
    };
    // A link is obsolete if its token would have expired by now.
    if purpose.is_some_and(|purpose| entry.created_at.plus(purpose.lifetime()) <= now) {
        return Ok(None);
    }
    let token = match purpose {
        Some(purpose) => Some(issue_token(db, &user, purpose, now).await?),
        None => None,
    };
    let link = link(console_url, request.kind, token.as_ref());
    let (subject, text) = subject_and_text(request.kind, &link);
    Ok(Some(Mail { id: entry.subject.clone(), to: request.email, subject: subject.into(), text }))
}

/// Returns the user whom a message is about, unless the account is closed.
async fn find_user(db: &Db, request: &AccountMail) -> Result<Option<UserRow>, entities::Error> {
    let Some(id) = &request.user_id else { return users::find_by_email(db, &request.email).await };
    let Some(user) = users::find(db, id).await? else { return Ok(None) };
    let account = accounts::find(db, &user.account_id).await?;
    Ok(account.is_some_and(|account| account.closed_at.is_none()).then_some(user))
}

/// Composes the message to a new address. Returns `None` if the link would have expired by now, or if
/// the address has an account, whose owner must not learn of the request.
async fn compose_email_change(
    db: &Db,
    console_url: &str,
    entry: &OutboxRow,
    user: &UserRow,
    email: &str,
    now: Timestamp,
) -> Result<Option<Mail>, MailFailed> {
    let is_late = entry.created_at.plus(email_changes::LIFETIME) <= now;
    if is_late || users::find_by_email(db, email).await?.is_some() {
        return Ok(None);
    }
    let token = db.write(async |txn| email_changes::issue(&txn, &user.id, email, now).await).await?;
    let link = link(console_url, MailKind::ChangeEmail, Some(&token));
    let (subject, text) = subject_and_text(MailKind::ChangeEmail, &link);
    Ok(Some(Mail { id: entry.subject.clone(), to: email.to_owned(), subject: subject.into(), text }))
}

async fn issue_token(
    db: &Db,
    user: &UserRow,
    purpose: TokenPurpose,
    now: Timestamp,
) -> Result<Token, entities::Error> {
    db.write(async |txn| user_tokens::issue(&txn, &user.id, purpose, now).await).await
}

/// Builds the URL of a page of the console. The token is in the query, because the page has no
/// script that could read it from the fragment. Logs contain only paths, and the page sends no
/// `Referer`.
fn link(console_url: &str, kind: MailKind, token: Option<&Token>) -> String {
    let page = match kind {
        MailKind::ConfirmEmail => "confirm-email",
        MailKind::ResetPassword => "reset-password",
        MailKind::ChangeEmail => "confirm-email-change",
        MailKind::AlreadySignedUp | MailKind::PasswordChanged | MailKind::EmailChanged => "forgot-password",
    };
    match token {
        Some(token) => format!("{console_url}/{page}?token={}", token.reveal()),
        None => format!("{console_url}/{page}"),
    }
}

fn subject_and_text(kind: MailKind, link: &str) -> (&'static str, String) {
    match kind {
        MailKind::ConfirmEmail => (
            "Confirm your e-mail address",
            format!(
                "Someone signed up for Scan Service with this address. If it was you, confirm it within 3 days:\n\n\
                 {link}\n\n\
                 If it was not you, ignore this message.\n"
            ),
        ),
        MailKind::AlreadySignedUp => (
            "You have an account already",
            format!(
                "Someone signed up for Scan Service with this address, which already has an account. Nothing was\n\
                 changed. If it was you and you forgot your password, choose another:\n\n{link}\n"
            ),
        ),
        MailKind::ResetPassword => (
            "Choose another password",
            format!(
                "Someone asked to reset the password of your account. If it was you, choose another one within\n\
                 the hour:\n\n\
                 {link}\n\n\
                 The link works once. If it was not you, ignore this message: your password has not changed.\n"
            ),
        ),
        MailKind::PasswordChanged => (
            "Your password was changed",
            format!(
                "The password of your account was changed, and all other sessions were ended. If it was not you,\n\
                 choose another password at once:\n\n{link}\n"
            ),
        ),
        MailKind::ChangeEmail => (
            "Confirm your new e-mail address",
            format!(
                "Someone asked to use this address for an account of Scan Service. If it was you, confirm it within\n\
                 the hour:\n\n\
                 {link}\n\n\
                 If it was not you, ignore this message.\n"
            ),
        ),
        MailKind::EmailChanged => (
            "Your e-mail address was changed",
            "Your account of Scan Service has another e-mail address now, which was confirmed. If it was not you,\n\
             write to the operator of the service at once.\n"
                .to_owned(),
        ),
    }
}
