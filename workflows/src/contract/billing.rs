//! Activities that move money: charge, refund and payment.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

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
    /// The API key of the request. Its monthly cap applies.
    pub key_id: Option<KeyId>,
    /// Time of the request, by the workflow's clock.
    pub now: Timestamp,
}

/// Input of `refund`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefundInput {
    /// The scan that failed.
    pub scan_id: ScanId,
    /// Why the scan failed.
    pub failure: ScanFailure,
    /// Time of the failure, by the workflow's clock.
    pub now: Timestamp,
}

/// Output of `refund`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefundOutput {
    /// The event `scan.failed` to deliver. `None` if the scan had ended in another way before.
    pub event_id: Option<EventId>,
}

/// Input of `pay`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PayInput {
    /// The payment. Its row is in the database.
    pub payment_id: PaymentId,
}

/// Output of `pay`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PayOutput {
    /// State of the payment. While it is pending, the workflow calls `pay` again.
    pub state: PaymentState,
}

/// Marker of the billing activities.
#[derive(Debug)]
pub struct Billing;

#[activity_definitions]
#[expect(clippy::unimplemented, reason = "the crate `activities` implements them")]
impl Billing {
    /// Checks the deadline, the limit of concurrent scans, the cap and the funds. Then writes the
    /// charge, the status `queued` and the outbox entry `scan_start`. All in one transaction.
    #[activity(name = "charge")]
    pub fn charge(_input: ChargeInput) -> Result<StartOutcome, ActivityError> {
        unimplemented!()
    }

    /// Writes the status `failed`, the error, the refund and the event `scan.failed` in one
    /// transaction. Refunds nothing if nothing was charged.
    #[activity(name = "refund")]
    pub fn refund(_input: RefundInput) -> Result<RefundOutput, ActivityError> {
        unimplemented!()
    }

    /// Makes a payment at the bank, or looks up its state, and records the outcome. However often
    /// it runs, the money is collected once and credited once.
    #[activity(name = "pay")]
    pub fn pay(_input: PayInput) -> Result<PayOutput, ActivityError> {
        unimplemented!()
    }
}

pub use billing::{Charge, Pay, Refund};
