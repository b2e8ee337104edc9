//! The last phase of a scan: completion or compensation, the event, and the clean-up.
//!
//! Every activity here uses [`options::compensation`]: it is retried without a limit, and
//! cancelling the workflow does not cancel it. These are ordinary activities, because no caller
//! waits for them and their retries must survive the worker.

use domain::{FailureCode, ScanStatus};
use temporalio_sdk::{
    ActivityExecutionError, ApplicationFailure, WaitConditionOptions, WorkflowCancellationToken,
    WorkflowContext, WorkflowResult, WorkflowTermination,
};

use super::{ScanResult, ScanWorkflow, now, pipeline::Failed, visibility::show};
use crate::{
    contract::{DiscardInput, DiscardMedia, EmitEvent, EmitInput, Refund, RefundInput, SaveOutput},
    options, queues,
};

/// Ends the workflow of a complete scan. The stage `save` has recorded the status and the event.
/// Delivers the event and deletes working files.
pub(super) async fn complete(
    ctx: &WorkflowContext<ScanWorkflow>,
    saved: SaveOutput,
) -> WorkflowResult<ScanResult> {
    show(ctx, ScanStatus::Complete, None);
    emit(ctx, EmitInput { event_id: saved.event_id }).await?;
    discard_media(ctx).await?;
    await_handlers(ctx).await?;
    Ok(ScanResult { status: ScanStatus::Complete, document_revision: Some(saved.revision) })
}

/// Compensates a failed scan: refunds it, delivers the event and deletes its media. Then the
/// workflow fails with the scan's failure code, so that operators find it among the failed
/// workflows.
pub(super) async fn compensate(
    ctx: &WorkflowContext<ScanWorkflow>,
    failed: Failed,
) -> WorkflowResult<ScanResult> {
    let failure = failed.failure.clone();
    ctx.state_mut(|s| s.failed = Some(failed));
    let refunded = ctx
        .execute_activity(
            Refund,
            RefundInput {
                scan_id: ctx.state(|s| s.seed.scan_id.clone()),
                failure: failure.clone(),
                now: now(ctx),
            },
            options::compensation(queues::BILLING, &format!("fail and refund: {}", failure.code)),
        )
        .await
        .map_err(activity_failed)?;
    let Some(event_id) = refunded.event_id else {
        ctx.state_mut(|s| s.failed = None);
        // The scan had ended before, for example by a `save` whose result was lost.
        return Ok(ScanResult { status: ScanStatus::Complete, document_revision: None });
    };
    ctx.state_mut(|s| s.refunded = s.charge.is_some());
    show(ctx, ScanStatus::Failed, failure.stage);
    emit(ctx, EmitInput { event_id }).await?;
    discard_media(ctx).await?;
    await_handlers(ctx).await?;
    if failure.code == FailureCode::Cancelled {
        return Err(WorkflowTermination::cancelled());
    }
    let cause = ctx.state(|s| s.failed.as_ref().and_then(|failed| failed.cause.clone()));
    let message = match cause {
        Some(cause) => format!("{} Cause: {cause}", failure.message),
        None => failure.message.clone(),
    };
    Err(ApplicationFailure::builder(message)
        .type_name(failure.code.as_str().to_owned())
        .non_retryable(true)
        .build()
        .into())
}

async fn emit(ctx: &WorkflowContext<ScanWorkflow>, input: EmitInput) -> Result<(), WorkflowTermination> {
    ctx.execute_activity(EmitEvent, input, options::compensation(queues::WEBHOOKS, "start the deliveries"))
        .await
        .map(|_| ())
        .map_err(activity_failed)
}

/// Deletes the media that an ended scan no longer needs.
pub(super) async fn discard_media(ctx: &WorkflowContext<ScanWorkflow>) -> Result<(), WorkflowTermination> {
    let input = DiscardInput { scan_id: ctx.state(|s| s.seed.scan_id.clone()) };
    ctx.execute_activity(DiscardMedia, input, options::compensation(queues::SCANS, "delete obsolete media"))
        .await
        .map_err(activity_failed)
}

/// Waits until every accepted update has returned. A workflow that ends earlier loses their
/// outcomes.
pub(super) async fn await_handlers(ctx: &WorkflowContext<ScanWorkflow>) -> Result<(), WorkflowTermination> {
    let uncancellable =
        WaitConditionOptions::builder().cancellation_token(WorkflowCancellationToken::new()).build();
    ctx.wait_condition_with_options(|_| ctx.all_handlers_finished(), uncancellable).await.map_err(Into::into)
}

/// Fails the workflow after an activity that can never succeed, for example because its input does
/// not parse. The reconciler refunds a scan whose workflow ended without it.
pub(super) fn activity_failed(error: ActivityExecutionError) -> WorkflowTermination {
    ApplicationFailure::builder(error)
        .type_name("COMPENSATION_FAILED".to_owned())
        .non_retryable(true)
        .build()
        .into()
}
