//! Messages about an account that are still to be mailed. They are promises in the outbox: whoever keeps
//! one finds out whether anyone has the address, so whoever makes one need not (and takes no longer for it).
//! A promise names an address and holds no token; it is forgotten ([`outbox::forget`]) when it was kept.

use domain::{MessageId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    OutboxRow, Result, WriteTxn,
    outbox::{self, Kind},
};

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    /// Confirm the address, by a token.
    ConfirmEmail,
    /// Someone signed up with an address that has an account.
    AlreadySignedUp,
    /// Choose another password, by a token.
    ResetPassword,
    /// The password was changed.
    PasswordChanged,
}

/// A message, and to whom.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountMail {
    /// What it is about.
    pub letter: Letter,
    /// The address, which may be no one's.
    pub email: String,
}

impl std::fmt::Debug for AccountMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountMail").field("letter", &self.letter).finish_non_exhaustive()
    }
}

/// Promises a message.
///
/// # Errors
/// Of the database.
pub async fn enqueue(txn: &WriteTxn, letter: Letter, email: &str, now: Timestamp) -> Result<()> {
    let mail = serde_json::json!(AccountMail { letter, email: email.to_owned() });
    outbox::enqueue(txn, Kind::AccountMail, MessageId::new().as_str(), &mail, now, now).await?;
    Ok(())
}

/// What was promised; `None` for what is no such promise.
pub fn read(promise: &OutboxRow) -> Option<AccountMail> {
    serde_json::from_value(promise.payload.0.clone()).ok()
}
