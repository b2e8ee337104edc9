//! Charge at start, refund on failure: both are one transaction of the ledger. Payments in between.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::sync::Arc;

use domain::{EventId, Timestamp, scan::StartOutcome};
use ledger::{FailOutcome, StartRequest};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, ChargeInput, PayInput, PayOutput, RefundInput, RefundOutput};

use crate::{
    Parts,
    error::{database, retry},
    failpoint::failpoint,
    recharge, watch,
};

/// Implements `workflows::contract::Billing`.
pub struct BillingActivities {
    pub(crate) parts: Arc<Parts>,
}

#[activities]
impl BillingActivities {
    /// Limit, cap, funds, charge, status and start intent in one transaction. The first outcome stands.
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
            prices: self.parts.scans.prices,
            max_in_progress: self.parts.scans.max_in_progress,
        };
        let outcome = ledger::start_scan(&self.parts.db, &request).await.map_err(database)?;
        tracing::info!(scan = %request.scan_id, ?outcome, "charge");
        failpoint("charge").await?;
        Ok(outcome)
    }

    /// Status `failed`, error, refund and event in one transaction. The first outcome stands.
    #[activity(definition = contract::Refund)]
    pub async fn refund(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: RefundInput,
    ) -> Result<RefundOutput, ActivityError> {
        let outcome = ledger::fail_scan(&self.parts.db, &input.scan_id, &input.failure, input.now)
            .await
            .map_err(database)?;
        tracing::info!(scan = %input.scan_id, code = %input.failure.code, "refund");
        failpoint("refund").await?;
        Ok(RefundOutput { event_id: event_of(&input.scan_id, &outcome) })
    }

    /// Asks the bank for a payment, or what became of it, and settles it as the bank says.
    #[activity(definition = contract::Pay)]
    pub async fn pay(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: PayInput,
    ) -> Result<PayOutput, ActivityError> {
        let (db, banks) = (&self.parts.db, &self.parts.banks);
        let paying = recharge::pay(db, banks, &input.payment_id, Timestamp::now());
        let state = watch::alive(&ctx, paying).await?.map_err(|e| retry("PAYMENT", e))?;
        failpoint("pay").await?;
        Ok(PayOutput { state })
    }
}

fn event_of(scan: &domain::ScanId, outcome: &FailOutcome) -> Option<EventId> {
    matches!(outcome, FailOutcome::Failed { .. } | FailOutcome::AlreadyFailed { .. })
        .then(|| EventId::scan_failed(scan))
}
