//! Payments: money on its way from a bank into a wallet.

use serde::{Deserialize, Serialize};

/// The least that a bank takes, in cents.
pub const LEAST_CENTS: crate::money::Cents = 50;

/// Why a payment is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentKind {
    /// Its owner asked for it.
    TopUp,
    /// The wallet asked for it.
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

    /// Reads [`PaymentKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [PaymentKind::TopUp, PaymentKind::AutoRecharge].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// How a payment stands, as far as is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// The bank has not been asked, has not answered, or has not decided.
    Pending,
    /// Paid and credited.
    Succeeded,
    /// Not paid.
    Declined,
    /// Not paid unless the customer confirms it with their bank.
    NeedsAction,
}

impl PaymentState {
    /// Every state.
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

    /// Reads [`PaymentState::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// What a bank said of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum PaymentVerdict {
    /// The money was taken.
    Succeeded {
        /// The bank's name of the payment.
        reference: String,
    },
    /// The money was not taken.
    Declined {
        /// The bank's name of the payment, when it made one.
        reference: Option<String>,
        /// The bank's code for why.
        reason: String,
    },
    /// The customer must confirm it with their bank.
    NeedsAction {
        /// The bank's name of the payment.
        reference: String,
    },
    /// Nothing is decided.
    Open,
}
