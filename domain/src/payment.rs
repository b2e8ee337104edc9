//! Payments from a bank into a wallet.

use serde::{Deserialize, Serialize};

/// Minimum amount of a payment, in cents.
pub const MIN_PAYMENT_CENTS: crate::money::Cents = 50;

/// Reason for a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentKind {
    /// A top-up requested by the owner.
    TopUp,
    /// An automatic top-up.
    AutoRecharge,
}

impl PaymentKind {
    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            PaymentKind::TopUp => "top_up",
            PaymentKind::AutoRecharge => "auto_recharge",
        }
    }

    /// Parses the result of [`PaymentKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [PaymentKind::TopUp, PaymentKind::AutoRecharge].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Last known state of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// The bank has not received the request, has not responded or has not decided.
    Pending,
    /// Paid and credited.
    Succeeded,
    /// Failed.
    Declined,
    /// Needs confirmation by the customer at their bank.
    NeedsAction,
}

impl PaymentState {
    /// All states.
    pub const ALL: [PaymentState; 4] = [Self::Pending, Self::Succeeded, Self::Declined, Self::NeedsAction];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            PaymentState::Pending => "pending",
            PaymentState::Succeeded => "succeeded",
            PaymentState::Declined => "declined",
            PaymentState::NeedsAction => "needs_action",
        }
    }

    /// Parses the result of [`PaymentState::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// Outcome of a payment at the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum PaymentVerdict {
    /// The payment succeeded.
    Succeeded {
        /// Payment id at the bank.
        reference: String,
    },
    /// The payment failed.
    Declined {
        /// Payment id at the bank, if it created one.
        reference: Option<String>,
        /// The bank's error code.
        reason: String,
    },
    /// The customer must confirm it with their bank.
    NeedsAction {
        /// Payment id at the bank.
        reference: String,
    },
    /// The bank has not decided.
    Open,
}
