//! Activities that move money: charge at the start of a scan, refund on failure, and payments.
//!
//! Charge and refund are one transaction of the ledger each. Payments go through a bank.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

mod bank_reconciliation;
mod payment;

use std::sync::Arc;

use domain::{EventId, Timestamp, scan::StartOutcome};
use ledger::{FailOutcome, StartRequest};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, ChargeInput, PayInput, PayOutput, RefundInput, RefundOutput};

pub use bank_reconciliation::{BankReport, inspect_bank, reconcile_bank};
pub use payment::{PayError, pay};

use crate::{
    Dependencies,
    error::{database, retry},
    failpoint,
    heartbeat::with_heartbeats,
};

/// Implements `workflows::contract::Billing`.
pub struct BillingActivities {
    pub(crate) deps: Arc<Dependencies>,
}

#[activities]
impl BillingActivities {
    /// Checks limits and funds, then charges and queues the scan, in one transaction. A repeat
    /// returns the first outcome.
    #[activity(definition = contract::Charge)]
    pub async fn charge(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: ChargeInput,
    ) -> Result<StartOutcome, ActivityError> {
        let request = StartRequest {
            scan_id: input.scan_id,
            key_id: input.key_id,
            now: input.now,
            prices: self.deps.scans.prices,
            max_in_progress: self.deps.scans.max_in_progress,
        };
        failpoint::around("charge", request.scan_id.as_str(), async {
            let outcome = ledger::start_scan(&self.deps.db, &request).await.map_err(database)?;
            tracing::info!(scan = %request.scan_id, ?outcome, "charge");
            Ok(outcome)
        })
        .await
    }

    /// Fails and refunds the scan, and writes the event, in one transaction. A repeat returns the
    /// first outcome.
    #[activity(definition = contract::Refund)]
    pub async fn refund(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: RefundInput,
    ) -> Result<RefundOutput, ActivityError> {
        failpoint::around("refund", input.scan_id.as_str(), async {
            let failing = ledger::fail_scan(&self.deps.db, &input.scan_id, &input.failure, input.now);
            let outcome = with_heartbeats(&ctx, failing).await?.map_err(database)?;
            if matches!(outcome, FailOutcome::Failed { .. }) {
                self.deps.metrics.record_refund(input.failure.code);
            }
            tracing::info!(scan = %input.scan_id, code = %input.failure.code, "refund");
            Ok(RefundOutput { event_id: event_of(&input.scan_id, &outcome) })
        })
        .await
    }

    /// Makes a payment at the bank, or looks up its state, and settles it if the bank has decided.
    #[activity(definition = contract::Pay)]
    pub async fn pay(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: PayInput,
    ) -> Result<PayOutput, ActivityError> {
        failpoint::around("pay", input.payment_id.as_str(), async {
            let (db, banks) = (&self.deps.db, &self.deps.banks);
            let paying = payment::pay(db, banks, &input.payment_id, Timestamp::now());
            let state = with_heartbeats(&ctx, paying).await?.map_err(|e| retry("PAYMENT", e))?;
            Ok(PayOutput { state })
        })
        .await
    }
}

fn event_of(scan: &domain::ScanId, outcome: &FailOutcome) -> Option<EventId> {
    matches!(outcome, FailOutcome::Failed { .. } | FailOutcome::AlreadyFailed { .. })
        .then(|| EventId::scan_failed(scan))
}
