//! Outcomes that a test asked for by the `external_id` of its space.

use domain::{
    FailureCode, Mode, Stage,
    forced::{Forced, SLOW_STAGE},
};
use entities::{ScanRow, spaces};
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use crate::{
    Parts,
    error::{database, give_up},
    watch::Watched,
};

/// Fails or delays the beginning of a stage, where a scan in test mode is to. A scan in live mode is not
/// looked at.
pub(super) async fn apply(
    parts: &Parts,
    ctx: &ActivityContext,
    scan: &ScanRow,
    stage: Stage,
) -> Result<(), ActivityError> {
    if scan.livemode {
        return Ok(());
    }
    let space = spaces::find(&parts.db, &scan.tenant(), &scan.space_id).await.map_err(database)?;
    let external_id = space.and_then(|space| space.external_id);
    match Forced::of(Mode::Test, external_id.as_deref()) {
        Some(Forced::Fail(asked)) if asked == stage => {
            Err(give_up(FailureCode::Forced, format!("asked to fail while {stage}")))
        }
        Some(Forced::Slow) => {
            let watched = Watched { parts, context: ctx, scan: &scan.id, stage: None };
            watched.alive(tokio::time::sleep(SLOW_STAGE)).await
        }
        _ => Ok(()),
    }
}
