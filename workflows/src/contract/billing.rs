//! Money: charge at start, refund on failure.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::{
    EventId, KeyId, PaymentId, ScanId, Timestamp, payment::PaymentState, scan::ScanFailure,
    scan::StartOutcome,
};
use serde::{Deserialize, Serialize};
use temporalio_macros::activity_definitions;
use temporalio_sdk::activities::ActivityError;

/// Input of `charge`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChargeInput {
    /// The scan to charge and queue.
    pub scan_id: ScanId,
    /// The key that asked, whose monthly cap counts.
    pub key_id: Option<KeyId>,
    /// When it was asked, by the workflow's clock.
    pub now: Timestamp,
}

/// Input of `refund`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefundInput {
    /// The scan that failed.
    pub scan_id: ScanId,
    /// Why.
    pub failure: ScanFailure,
    /// When, by the workflow's clock.
    pub now: Timestamp,
}

/// What `refund` did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefundOutput {
    /// The event `scan.failed`, to be delivered; `None` when the scan had ended otherwise before.
    pub event_id: Option<EventId>,
}

/// Input of `pay`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PayInput {
    /// The payment, which is in the database already.
    pub payment_id: PaymentId,
}

/// What `pay` came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PayOutput {
    /// How the payment stands; while it is pending, the bank is to be asked again.
    pub state: PaymentState,
}

/// Marker of the billing activities.
#[derive(Debug)]
pub struct Billing;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Billing {
    /// Limit, cap, funds, charge, status `queued` and start intent in one transaction.
    #[activity(name = "charge")]
    pub fn charge(_input: ChargeInput) -> Result<StartOutcome, ActivityError> {
        unimplemented!()
    }

    /// Status `failed`, error, refund and event `scan.failed` in one transaction. Refunding what was
    /// not charged is a no-op.
    #[activity(name = "refund")]
    pub fn refund(_input: RefundInput) -> Result<RefundOutput, ActivityError> {
        unimplemented!()
    }

    /// Asks the bank for a payment, or what became of it, and records what it says. However often it is
    /// asked, money is taken once and credited once.
    #[activity(name = "pay")]
    pub fn pay(_input: PayInput) -> Result<PayOutput, ActivityError> {
        unimplemented!()
    }
}

pub use billing::{Charge, Pay, Refund};
