//! Pending mails about accounts, stored as outbox entries. The relay looks up the account of an
//! address, so that the duration of a request does not reveal whether there is one. An entry holds
//! an address and no token, and is deleted ([`outbox::delete`]) once it is processed.

use domain::{MessageId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

use crate::{
    OutboxRow, Result, WriteTxn,
    outbox::{self, Kind},
};

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailKind {
    /// Asks to confirm the address; carries a token.
    ConfirmEmail,
    /// Reports a sign-up with an address that already has an account.
    AlreadySignedUp,
    /// Allows choosing a new password; carries a token.
    ResetPassword,
    /// Reports that the password was changed.
    PasswordChanged,
    /// Asks to confirm a new address; carries a token.
    ChangeEmail,
    /// Reports to the old address that it was replaced.
    EmailChanged,
}

/// A message and its address.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountMail {
    /// Kind of the message.
    #[serde(rename = "letter")]
    pub kind: MailKind,
    /// The address, which may belong to no account.
    pub email: String,
    /// The user, if the address isn't the user's: it was requested, or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
}

impl std::fmt::Debug for AccountMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountMail").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Enqueues a message.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn enqueue(txn: &WriteTxn, kind: MailKind, email: &str, now: Timestamp) -> Result<()> {
    enqueue_mail(txn, &AccountMail { kind, email: email.to_owned(), user_id: None }, now).await
}

/// Enqueues a message to an address that isn't the user's.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn enqueue_to(
    txn: &WriteTxn,
    kind: MailKind,
    user: &UserId,
    email: &str,
    now: Timestamp,
) -> Result<()> {
    enqueue_mail(txn, &AccountMail { kind, email: email.to_owned(), user_id: Some(user.clone()) }, now).await
}

async fn enqueue_mail(txn: &WriteTxn, mail: &AccountMail, now: Timestamp) -> Result<()> {
    let mail = serde_json::json!(mail);
    outbox::enqueue(txn, Kind::AccountMail, MessageId::new().as_str(), &mail, now, now).await?;
    Ok(())
}

/// Parses an outbox entry. Returns `None` if it is of another kind.
pub fn parse(entry: &OutboxRow) -> Option<AccountMail> {
    serde_json::from_value(entry.payload.0.0.clone()).ok()
}
