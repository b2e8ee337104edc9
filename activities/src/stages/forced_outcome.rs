//! Outcomes that the client of a test-mode scan forces with the `external_id` of the space.

use domain::{
    FailureCode, Mode, Stage,
    forced::{Forced, SLOW_STAGE},
};
use entities::{ScanRow, spaces};
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use super::runner::StageRunner;
use crate::{
    Dependencies,
    error::{database, give_up},
};

/// Fails or delays the start of a stage if the space's `external_id` says so. Does nothing in live
/// mode.
pub(super) async fn apply(
    deps: &Dependencies,
    ctx: &ActivityContext,
    scan: &ScanRow,
    stage: Stage,
) -> Result<(), ActivityError> {
    if scan.livemode {
        return Ok(());
    }
    let space = spaces::find(&deps.db, &scan.tenant(), &scan.space_id).await.map_err(database)?;
    let external_id = space.and_then(|space| space.external_id);
    match Forced::of(Mode::Test, external_id.as_deref()) {
        Some(Forced::Fail(forced_stage)) if forced_stage == stage => {
            Err(give_up(FailureCode::Forced, format!("the test forced a failure while {stage}")))
        }
        Some(Forced::Slow) => {
            let runner = StageRunner { deps, context: ctx, scan: &scan.id, stage: None };
            runner.run(tokio::time::sleep(SLOW_STAGE)).await
        }
        _ => Ok(()),
    }
}
