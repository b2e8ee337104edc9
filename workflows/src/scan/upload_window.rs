//! The first phase of a scan: its uploads arrive, and the workflow waits for the start, the
//! cancellation or the deadline.

use domain::ScanStatus;
use temporalio_sdk::{TimerOptions, TimerResult, WorkflowContext, WorkflowTermination, workflows::select};

use super::{ScanWorkflow, now, outcome::activity_failed};
use crate::{
    contract::{CancelScan, CancelScanInput},
    options,
};

/// Maximum number of updates of one run, before it continues as new to keep the history short. The
/// server's limit is 2,000.
const MAX_UPDATES_PER_RUN: u32 = 1_000;

/// Reason why the upload window closed.
pub(super) enum Window {
    /// The scan is charged and queued.
    Started,
    /// The scan ended without a start.
    Closed(ScanStatus),
    /// The run has accepted [`MAX_UPDATES_PER_RUN`] updates, and continues as new.
    HistoryFull,
}

/// Waits until the scan is started or cancelled, or its deadline has passed.
///
/// A durable timer holds the deadline, so it survives restarts of workers and engine. Updates
/// change the workflow's state while this function waits.
pub(super) async fn await_start(ctx: &WorkflowContext<ScanWorkflow>) -> Result<Window, WorkflowTermination> {
    let remaining = ctx.state(|s| s.seed.deadline_at).since(now(ctx));
    let timer_scope = ctx.cancellation_token().child_token();
    let timer = TimerOptions::builder(remaining)
        .summary("deadline for the start".to_owned())
        .cancellation_token(timer_scope.clone())
        .build();
    let decided = |s: &ScanWorkflow| s.charge.is_some() || s.cancelled || s.updates >= MAX_UPDATES_PER_RUN;
    let deadline_passed = select! {
        fired = ctx.timer(timer) => fired == TimerResult::Fired,
        _ = ctx.wait_condition(decided) => false,
    };
    timer_scope.cancel();
    if ctx.state(|s| s.charge.is_some()) {
        return Ok(Window::Started);
    }
    if ctx.state(|s| s.cancelled) {
        return Ok(Window::Closed(ScanStatus::Cancelled));
    }
    let operator_cancelled = ctx.cancellation_token().is_cancelled();
    if !deadline_passed && !operator_cancelled {
        return Ok(Window::HistoryFull);
    }
    // The database decides: a start may have been charged a moment ago. A local activity, because
    // this is one short transaction too. It is retried until it succeeds, because the scan must not
    // stay open after its deadline.
    let summary = if deadline_passed { "cancel: deadline passed" } else { "cancel: by operator" };
    let output = ctx
        .execute_local_activity(
            CancelScan,
            CancelScanInput { scan_id: ctx.state(|s| s.seed.scan_id.clone()), now: now(ctx) },
            options::local_until_done(summary),
        )
        .await
        .map_err(activity_failed)?;
    Ok(match output.status {
        Some(ScanStatus::Queued | ScanStatus::Processing) => Window::Started,
        Some(status) => Window::Closed(status),
        None => Window::Closed(ScanStatus::Cancelled),
    })
}
