//! Shows the state of a scan in Temporal's Web UI.

use domain::{ScanStatus, Stage};
use temporalio_sdk::WorkflowContext;

use super::ScanWorkflow;
use crate::search_attributes;

/// Value of a search attribute that does not apply.
const NONE: &str = "none";

/// Updates the search attributes (to filter by) and the current details (to read).
pub(super) fn show(ctx: &WorkflowContext<ScanWorkflow>, status: ScanStatus, stage: Option<Stage>) {
    let code = ctx.state(|s| s.failed.as_ref().map(|failed| failed.failure.code));
    let mut attributes = vec![
        search_attributes::SCAN_STATUS.value_set(status.as_str().to_owned()),
        search_attributes::SCAN_STAGE.value_set(stage.map_or(NONE, Stage::as_str).to_owned()),
    ];
    if let Some(code) = code {
        attributes.push(search_attributes::SCAN_ERROR.value_set(code.as_str().to_owned()));
    }
    ctx.upsert_search_attributes(attributes);
    ctx.set_current_details(ctx.state(|s| details(s, status, stage)));
}

/// Returns what an operator needs to know, as Markdown: status and stage, the error with its cause,
/// the charge and its refund, and the request that returns the scan. The link to the scan is in the
/// static details, because it depends on the configuration of the process that starts the workflow.
fn details(scan: &ScanWorkflow, status: ScanStatus, stage: Option<Stage>) -> String {
    let ScanWorkflow { seed, charge, failed, refunded, .. } = scan;
    let stage = stage.map(|stage| format!(", {stage}")).unwrap_or_default();
    let charge = match charge {
        None => "not charged".to_owned(),
        Some(charge) => {
            let refund = if *refunded { ", refunded" } else { "" };
            format!("charged: {}, {} cents{refund}", charge.kind.as_str(), charge.price_cents)
        }
    };
    let error = failed.as_ref().map(|failed| {
        let cause = failed.cause.as_deref().map(|cause| format!("\n\nCause: {cause}")).unwrap_or_default();
        format!("\n\nError `{}`: {}{cause}", failed.failure.code, failed.failure.message)
    });
    format!(
        "**{status}{stage}** · {} scan of space `{}` · account `{}` · {charge}{}\n\n`GET /v1/scans/{}`",
        seed.kind.as_str(),
        seed.space_id,
        seed.account_id,
        error.unwrap_or_default(),
        seed.scan_id
    )
}
