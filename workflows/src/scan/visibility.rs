//! Shows the state of a scan in Temporal's Web UI.

use domain::{ScanStatus, Stage};
use temporalio_sdk::WorkflowContext;

use super::ScanWorkflow;
use crate::search_attributes;

/// Updates the search attributes (to filter by) and the current details (to read).
pub(super) fn show(ctx: &WorkflowContext<ScanWorkflow>, status: ScanStatus, stage: Option<Stage>) {
    ctx.upsert_search_attributes([
        search_attributes::SCAN_STATUS.value_set(status.as_str().to_owned()),
        search_attributes::SCAN_STAGE.value_set(stage.map_or("none", Stage::as_str).to_owned()),
    ]);
    let details = ctx.state(|s| {
        let stage = stage.map(|s| format!(", {s}")).unwrap_or_default();
        let charge = s
            .charge
            .map_or("not charged".to_owned(), |c| format!("{}, {} cents", c.kind.as_str(), c.price_cents));
        format!(
            "**{status}{stage}** · {} scan of space `{}` · account `{}` · {charge}\n\n`GET /v1/scans/{}`",
            s.seed.kind.as_str(),
            s.seed.space_id,
            s.seed.account_id,
            s.seed.scan_id
        )
    });
    ctx.set_current_details(details);
}
