//! Status changes: each is a compare-and-set with one row in the timeline.

use domain::{ScanId, ScanStatus, Stage, Timestamp, scan::Waiting};
use sea_orm::{Condition, UpdateMany, entity::prelude::*};

use super::{
    Column, Entity, Model,
    media::{self, Kept},
    system,
};
use crate::{Reader, Result, WriteTxn, scan_transitions};

/// Outcome of a change of status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Changed and recorded by this call.
    Changed,
    /// The scan already had this status; nothing was recorded.
    AlreadyThere,
    /// The state table does not allow the change.
    Refused {
        /// The unchanged status.
        from: ScanStatus,
    },
    /// The scan does not exist.
    NotFound,
}

/// Outcome of beginning a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageOutcome {
    /// The scan entered this stage.
    Begun,
    /// The scan was already in this stage or a later one.
    AlreadyThere,
    /// The scan is not in the pipeline, so the caller should stop working on it.
    NotProcessing {
        /// Its current status.
        status: ScanStatus,
    },
    /// The scan does not exist.
    NotFound,
}

/// Changes the status of a scan if the state table allows it, and records it in the timeline. At
/// the end of a scan, enqueues the deletion of its obsolete objects. A complete scan keeps its
/// results, any other scan keeps nothing.
///
/// `stage` matters only for [`ScanStatus::Processing`].
///
/// # Errors
/// Returns an error if the database fails.
pub async fn transition(
    txn: &WriteTxn,
    id: &ScanId,
    to: ScanStatus,
    stage: Option<Stage>,
    at: Timestamp,
) -> Result<Transition> {
    let Some(scan) = system::lock(txn, id).await? else { return Ok(Transition::NotFound) };
    let outcome = change(txn, &scan, to, stage, at).await?;
    if outcome == Transition::Changed && to.is_terminal() {
        let kept = if to == ScanStatus::Complete { Kept::Results } else { Kept::Nothing };
        media::end(txn, &scan.id, kept, at).await?;
    }
    Ok(outcome)
}

/// Changes the status of a locked scan, without the deletion of its objects.
pub(super) async fn change(
    txn: &WriteTxn,
    scan: &Model,
    to: ScanStatus,
    stage: Option<Stage>,
    at: Timestamp,
) -> Result<Transition> {
    let from = scan.status.0;
    if from == to {
        return Ok(Transition::AlreadyThere);
    }
    if !from.may_become(to) {
        return Ok(Transition::Refused { from });
    }
    let stage = stage.filter(|_| to == ScanStatus::Processing);
    let mut update = clear_waiting(Entity::update_many())
        .col_expr(Column::Status, Expr::value(to.as_str()))
        .col_expr(Column::Stage, Expr::value(stage.map(Stage::as_str)))
        .col_expr(Column::ProgressedAt, Expr::value(at.as_millis()))
        .filter(Column::Id.eq(scan.id.as_str()))
        .filter(Column::Status.eq(from.as_str()));
    if to.is_terminal() {
        update = update.col_expr(Column::FinishedAt, Expr::value(at.as_millis()));
    }
    if update.exec(txn.conn()).await?.rows_affected == 0 {
        // The caller locked the scan, so only a row from before the lock can differ.
        return Ok(Transition::Refused { from });
    }
    scan_transitions::append(txn, &scan.id, Some(from), to, stage, at).await?;
    Ok(Transition::Changed)
}

/// Moves a scan into a stage of the pipeline. The first stage changes the status from queued to
/// processing. Repeating a stage, or beginning an earlier one, changes nothing.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn begin_stage(txn: &WriteTxn, id: &ScanId, stage: Stage, at: Timestamp) -> Result<StageOutcome> {
    let Some(scan) = system::lock(txn, id).await? else { return Ok(StageOutcome::NotFound) };
    match scan.status.0 {
        ScanStatus::Queued => {
            change(txn, &scan, ScanStatus::Processing, Some(stage), at).await?;
            Ok(StageOutcome::Begun)
        }
        ScanStatus::Processing if scan.stage.is_some_and(|current| current.0 >= stage) => {
            Ok(StageOutcome::AlreadyThere)
        }
        ScanStatus::Processing => {
            clear_waiting(Entity::update_many())
                .col_expr(Column::Stage, Expr::value(stage.as_str()))
                .col_expr(Column::Progress, Expr::value(0.0))
                .col_expr(Column::ProgressedAt, Expr::value(at.as_millis()))
                .filter(Column::Id.eq(id.as_str()))
                .exec(txn.conn())
                .await?;
            scan_transitions::append(txn, id, Some(scan.status.0), scan.status.0, Some(stage), at).await?;
            Ok(StageOutcome::Begun)
        }
        status => Ok(StageOutcome::NotProcessing { status }),
    }
}

/// Records the completed share of a stage, 0 to 1. It only increases, and only while the scan is in
/// that stage. A scan that makes progress waits for nothing. Returns whether it was recorded.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_progress(
    txn: &WriteTxn,
    id: &ScanId,
    stage: Stage,
    fraction: f64,
    now: Timestamp,
) -> Result<bool> {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { return Ok(false) };
    let update = clear_waiting(Entity::update_many())
        .col_expr(Column::Progress, Expr::value(fraction))
        .col_expr(Column::ProgressedAt, Expr::value(now.as_millis()))
        .filter(Column::Id.eq(id.as_str()))
        .filter(Column::Status.eq(ScanStatus::Processing.as_str()))
        .filter(Column::Stage.eq(stage.as_str()))
        .filter(Column::Progress.lt(fraction));
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Records what a started scan waits for in a stage, or before the first one. Of several parts of a
/// stage that wait, the first counts. The next progress or change of stage clears it. Returns whether
/// it was recorded.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_waiting(
    txn: &WriteTxn,
    id: &ScanId,
    stage: Option<Stage>,
    waiting: Waiting,
) -> Result<bool> {
    let status = if stage.is_some() { ScanStatus::Processing } else { ScanStatus::Queued };
    let since = waiting.since.as_millis();
    let update = Entity::update_many()
        .col_expr(Column::WaitCause, Expr::value(waiting.cause.as_str()))
        .col_expr(Column::WaitSince, Expr::value(since))
        .filter(Column::Id.eq(id.as_str()))
        .filter(Column::Status.eq(status.as_str()))
        .filter(stage.map_or(Column::Stage.is_null(), |stage| Column::Stage.eq(stage.as_str())))
        .filter(Condition::any().add(Column::WaitSince.is_null()).add(Column::WaitSince.gt(since)));
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Adds that the scan waits for nothing.
fn clear_waiting(update: UpdateMany<Entity>) -> UpdateMany<Entity> {
    update
        .col_expr(Column::WaitCause, Expr::value(None::<String>))
        .col_expr(Column::WaitSince, Expr::value(None::<i64>))
}
