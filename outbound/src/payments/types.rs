//! Types of the payment provider interface.

use domain::{AccountId, Secret, Timestamp, money::Cents, payment::PaymentVerdict};
use serde::{Deserialize, Serialize};

use crate::webhook::SignatureError;

/// A request to create a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentRequest {
    /// Idempotency key of at most 255 characters, created once for one decision to pay.
    pub idempotency_key: String,
    /// The account that pays.
    pub account: AccountId,
    /// The bank's customer id of the account ([`super::PaymentProvider::create_customer`]).
    pub customer: String,
    /// The bank's id of the payment method ([`super::PaymentProvider::save_method`]).
    pub payment_method: String,
    /// Amount in US cents.
    pub amount_cents: Cents,
    /// Whether the customer is absent, as in an automatic top-up.
    pub off_session: bool,
}

/// State of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PaymentResult {
    /// The payment succeeded.
    Succeeded {
        /// The bank's id of the payment.
        reference: String,
    },
    /// The payment was declined and cannot succeed under this key.
    Declined {
        /// The bank's id of the payment, if it created one.
        reference: Option<String>,
        /// The reason.
        reason: DeclineReason,
    },
    /// The customer must authenticate the payment.
    NeedsAction {
        /// The bank's id of the payment.
        reference: String,
        /// Secret with which the customer's browser confirms the payment. Never written to a
        /// history or a log.
        #[serde(skip)]
        client_secret: Option<Secret>,
        /// URL at which the customer confirms the payment, if the bank has such a page. Never
        /// written to a history or a log.
        #[serde(skip)]
        confirm_url: Option<Secret>,
    },
    /// The payment isn't decided yet.
    Pending {
        /// The bank's id of the payment.
        reference: String,
    },
}

impl PaymentResult {
    /// Returns the bank's id of the payment, if there is one.
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
    /// Converts the result to a verdict for the ledger.
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

/// Reason why a payment was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclineReason {
    /// The bank's code: the decline code (`insufficient_funds`) if there is one, otherwise the
    /// error code.
    pub code: String,
    /// Message for people.
    pub message: String,
}

/// A payment method that can be charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMethod {
    /// The bank's id.
    pub reference: String,
    /// `visa`, `mastercard`, …
    pub brand: String,
    /// The last four digits.
    pub last4: String,
}

/// Key by which a payment is looked up.
#[derive(Debug, Clone, Copy)]
pub enum Lookup<'a> {
    /// The bank's id of the payment.
    Reference(&'a str),
    /// The idempotency key, for a payment whose response was lost.
    Key {
        /// The bank's customer id of the account ([`super::PaymentProvider::create_customer`]).
        customer: &'a str,
        /// The idempotency key.
        idempotency_key: &'a str,
    },
}

/// A payment as the bank has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The bank's id.
    pub reference: String,
    /// The idempotency key, if this service created the payment.
    pub idempotency_key: Option<String>,
    /// The account, if this service created the payment.
    pub account: Option<AccountId>,
    /// Amount in US cents.
    pub amount_cents: Cents,
    /// The state.
    pub result: PaymentResult,
    /// Refunded amount in US cents.
    pub refunded_cents: Cents,
    /// Whether the payment is disputed.
    pub disputed: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A page of payments, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentPage {
    /// The payments.
    pub payments: Vec<Payment>,
    /// Cursor of the next page; `None` on the last page.
    pub next_cursor: Option<String>,
}

/// An error of a payment provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaymentError {
    /// The outcome is unknown: repeat the call with the same key, or fetch the payment.
    #[error("the outcome at the bank is unknown: {0}")]
    Unknown(String),
    /// The call had no effect. A retry may succeed.
    #[error("the bank is busy: {0}")]
    Busy(String),
    /// The idempotency key belongs to another payment.
    #[error("the idempotency key was used for another payment")]
    KeyReused,
    /// The request is invalid. A retry doesn't help.
    #[error("the bank rejected the request: {0}")]
    Invalid(String),
    /// The bank rejects the credentials.
    #[error("the bank rejected the credentials")]
    Unauthorized,
}

impl PaymentError {
    /// Returns whether the same call with the same key may succeed later.
    pub const fn retryable(&self) -> bool {
        matches!(self, PaymentError::Unknown(_) | PaymentError::Busy(_))
    }
}

/// A notification of the bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Unique id; the same for repeated deliveries.
    pub id: String,
    /// Time of creation (not of delivery).
    pub at: Timestamp,
    /// The content.
    pub kind: NotificationKind,
}

/// Content of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotificationKind {
    /// A payment as it was when the notification was created.
    Payment(Payment),
    /// A payment was refunded at the bank.
    Refunded {
        /// The bank's id of the payment.
        reference: String,
        /// Total refunded amount of the payment so far, in US cents.
        refunded_cents: Cents,
    },
    /// A dispute over a payment was opened, changed or closed.
    Disputed {
        /// The bank's id of the payment.
        reference: String,
        /// Disputed amount in US cents.
        amount_cents: Cents,
        /// The bank's status of the dispute (`needs_response`, `won`, `lost`, …).
        status: String,
    },
    /// Any other event, which only needs an acknowledgement.
    Other {
        /// The bank's event type.
        event_type: String,
    },
}

/// Reason why a notification was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotificationError {
    /// There is no signature header, or more than one.
    #[error("the notification is not signed")]
    Unsigned,
    /// The bank didn't sign it, or the signature is too old.
    #[error("the notification's signature is invalid: {0}")]
    Signature(#[from] SignatureError),
    /// The signature is valid, but the body is malformed.
    #[error("the notification is malformed: {0}")]
    Unreadable(String),
}
