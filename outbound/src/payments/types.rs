//! What is said to a bank and what it says.

use domain::{AccountId, Secret, Timestamp, money::Cents, payment::PaymentVerdict};
use serde::{Deserialize, Serialize};

use crate::webhook::SignatureError;

/// A payment that is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentRequest {
    /// Names the payment for ever: at most 255 characters, made once for one decision to pay.
    pub idempotency_key: String,
    /// The account it is for.
    pub account: AccountId,
    /// The bank's name of the account ([`super::PaymentProvider::create_customer`]).
    pub customer: String,
    /// What is charged ([`super::PaymentProvider::save_method`]).
    pub payment_method: String,
    /// How much, in US cents.
    pub amount_cents: Cents,
    /// Whether the customer is absent, as in an automatic top-up.
    pub off_session: bool,
}

/// How a payment stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PaymentResult {
    /// The money was taken.
    Succeeded {
        /// The bank's name of the payment.
        reference: String,
    },
    /// The money was not taken and will not be under this key.
    Declined {
        /// The bank's name of the payment, when it made one.
        reference: Option<String>,
        /// Why.
        reason: DeclineReason,
    },
    /// The customer must confirm it with their bank.
    NeedsAction {
        /// The bank's name of the payment.
        reference: String,
        /// What the customer's browser confirms with. Never written to a history or a log.
        #[serde(skip)]
        client_secret: Option<Secret>,
        /// Where the customer's browser is sent to confirm it, where the bank has a page for that. Never
        /// written to a history or a log.
        #[serde(skip)]
        confirm_url: Option<Secret>,
    },
    /// Not decided yet.
    Pending {
        /// The bank's name of the payment.
        reference: String,
    },
}

impl PaymentResult {
    /// The bank's name of the payment.
    pub fn reference(&self) -> Option<&str> {
        match self {
            PaymentResult::Succeeded { reference }
            | PaymentResult::NeedsAction { reference, .. }
            | PaymentResult::Pending { reference } => Some(reference),
            PaymentResult::Declined { reference, .. } => reference.as_deref(),
        }
    }
}

impl PaymentResult {
    /// What that means for money.
    pub fn verdict(&self) -> PaymentVerdict {
        match self.clone() {
            PaymentResult::Succeeded { reference } => PaymentVerdict::Succeeded { reference },
            PaymentResult::Declined { reference, reason } => {
                PaymentVerdict::Declined { reference, reason: reason.code }
            }
            PaymentResult::NeedsAction { reference, .. } => PaymentVerdict::NeedsAction { reference },
            PaymentResult::Pending { .. } => PaymentVerdict::Open,
        }
    }
}

/// Why a payment was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclineReason {
    /// The bank's code: the decline code where there is one (`insufficient_funds`), else the error code.
    pub code: String,
    /// What people may be told.
    pub message: String,
}

/// A payment method that can be charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMethod {
    /// The bank's name of it.
    pub reference: String,
    /// `visa`, `mastercard`, …
    pub brand: String,
    /// The last four digits, to be recognised by.
    pub last4: String,
}

/// How to name a payment that is looked for.
#[derive(Debug, Clone, Copy)]
pub enum Lookup<'a> {
    /// By the bank's name.
    Reference(&'a str),
    /// By ours, when the bank's answer was lost.
    Key {
        /// The bank's name of the account.
        customer: &'a str,
        /// The idempotency key.
        idempotency_key: &'a str,
    },
}

/// A payment as the bank has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The bank's name of it.
    pub reference: String,
    /// The key it was made under, if it was made by us.
    pub idempotency_key: Option<String>,
    /// The account it is for, if it was made by us.
    pub account: Option<AccountId>,
    /// How much, in US cents.
    pub amount_cents: Cents,
    /// How it stands.
    pub result: PaymentResult,
    /// How much of it was given back, in US cents.
    pub refunded_cents: Cents,
    /// Whether the card's owner disputes it.
    pub disputed: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A page of payments, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentPage {
    /// The payments.
    pub payments: Vec<Payment>,
    /// Where the next page begins; `None` on the last one.
    pub next_cursor: Option<String>,
}

/// A bank did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaymentError {
    /// It may or may not have happened: ask again with the same key, or fetch.
    #[error("the bank's answer is not known: {0}")]
    Unknown(String),
    /// This call did nothing; the same call may succeed later.
    #[error("the bank is busy: {0}")]
    Busy(String),
    /// The key belongs to another payment.
    #[error("the idempotency key was used for another payment")]
    KeyReused,
    /// The bank takes no such request; repeating it is of no use.
    #[error("the bank refused the request: {0}")]
    Invalid(String),
    /// Our credentials are not accepted.
    #[error("the bank does not accept our credentials")]
    Unauthorized,
}

impl PaymentError {
    /// Whether the same call, with the same key, may succeed later.
    pub const fn retryable(&self) -> bool {
        matches!(self, PaymentError::Unknown(_) | PaymentError::Busy(_))
    }
}

/// Something the bank told us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The same for each repetition.
    pub id: String,
    /// When it was written (not when it came).
    pub at: Timestamp,
    /// What it says.
    pub kind: NotificationKind,
}

/// What a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotificationKind {
    /// How a payment stood when it was written.
    Payment(Payment),
    /// Money was given back at the bank.
    Refunded {
        /// The payment.
        reference: String,
        /// All that was given back of it so far, in US cents.
        refunded_cents: Cents,
    },
    /// A dispute over a payment was opened, changed or closed.
    Disputed {
        /// The payment.
        reference: String,
        /// How much of it, in US cents.
        amount_cents: Cents,
        /// The bank's word for how it stands (`needs_response`, `won`, `lost`, …).
        status: String,
    },
    /// Something that is of no concern here: acknowledge it.
    Other {
        /// The bank's name for it.
        event_type: String,
    },
}

/// A notification is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotificationError {
    /// No signature header, or more than one.
    #[error("the notification is not signed")]
    Unsigned,
    /// Not signed by the bank, or too old.
    #[error("the notification's signature is refused: {0}")]
    Signature(#[from] SignatureError),
    /// Signed, but not what a bank sends.
    #[error("the notification cannot be read: {0}")]
    Unreadable(String),
}
