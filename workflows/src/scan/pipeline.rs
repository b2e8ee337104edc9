//! The five stages of a scan.
//!
//! Every stage is an ordinary activity: it takes seconds to hours, needs heartbeats, and runs on
//! the queue of the workers that have its hardware. Media never pass through the history:
//! activities read and write object storage, and return counts.

use domain::{FailureCode, ScanSeed, ScanStatus, Stage, scan::ScanFailure};
use temporalio_common::protos::temporal::api::failure::v1::Failure;
use temporalio_sdk::{
    ActivityExecutionError, WorkflowCancellationToken, WorkflowContext,
    workflows::{join, join_all},
};

use super::{ScanWorkflow, visibility::show};
use crate::{
    contract::{
        Enrich, Fuse, FuseInput, Ingest, Listen, ObserveFrames, ObserveInput, Save, SaveOutput, SecureInput,
        SecureMedia, StageInput,
    },
    options, queues,
};

/// Maximum length of a cause, in characters.
const MAX_CAUSE: usize = 300;

/// Runs the stages in order. Returns the saved document, or the failure to show to the scan's
/// owner.
pub(super) async fn run(ctx: &WorkflowContext<ScanWorkflow>) -> Result<SaveOutput, Failed> {
    let seed = ctx.state(|s| s.seed.clone());
    let account = &seed.account_id;
    let input = StageInput { scan_id: seed.scan_id.clone() };
    let options_on = |queue: &str, summary: &str| options::stage(queue, account, summary.to_owned());

    ctx.execute_activity(
        SecureMedia,
        SecureInput { scan_id: seed.scan_id.clone() },
        options_on(queues::SCANS, "copy the uploads to protected keys"),
    )
    .await
    .map_err(|e| failure_of(&e, None))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Ingesting));
    let ingested = ctx
        .execute_activity(
            Ingest,
            input.clone(),
            options_on(queues::MEDIA, "decode, keep sharp and new frames"),
        )
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Ingesting)))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Observing));
    observe(ctx, &seed, ingested.batches, ingested.listen).await?;

    show(ctx, ScanStatus::Processing, Some(Stage::Fusing));
    let observed = FuseInput { scan_id: seed.scan_id.clone(), batches: ingested.batches };
    ctx.execute_activity(Fuse, observed, options_on(queues::FUSION, "fuse into zones, texts and objects"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Fusing)))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Enriching));
    ctx.execute_activity(Enrich, input.clone(), options_on(queues::FUSION, "write the document"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Enriching)))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Saving));
    ctx.execute_activity(Save, input, options_on(queues::FUSION, "record document and event"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Saving)))
}

/// Observes all batches of frames, and the sound, in parallel. The first failure cancels the
/// others.
async fn observe(
    ctx: &WorkflowContext<ScanWorkflow>,
    seed: &ScanSeed,
    batches: u32,
    listen: bool,
) -> Result<(), Failed> {
    // A scope of the workflow's own token: cancelling it cancels these activities and nothing else.
    let scope = ctx.cancellation_token().child_token();
    let options = |summary: String| {
        let mut options = options::stage(queues::VISION, &seed.account_id, summary);
        options.cancellation_token = Some(scope.clone());
        options
    };
    let frames = (0..batches).map(|batch| {
        let input = ObserveInput { scan_id: seed.scan_id.clone(), batch, batches };
        let activity = ctx.execute_activity(
            ObserveFrames,
            input,
            options(format!("observe batch {} of {batches}", batch + 1)),
        );
        cancel_scope_on_failure(scope.clone(), async move { activity.await.map(|_| ()) })
    });
    let frames = join_all(frames.collect::<Vec<_>>());
    let outcomes = if listen {
        let input = StageInput { scan_id: seed.scan_id.clone() };
        let activity = ctx.execute_activity(Listen, input, options("listen".to_owned()));
        let sound = cancel_scope_on_failure(scope.clone(), async move { activity.await.map(|_| ()) });
        let (mut outcomes, sound_outcome) = join!(frames, sound);
        outcomes.push(sound_outcome);
        outcomes
    } else {
        frames.await
    };
    // The error that is not a cancellation is the cause of the others.
    let errors: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
    let cause = errors.iter().find(|e| e.as_cancelled().is_none()).or(errors.first());
    cause.map_or(Ok(()), |e| Err(failure_of(e, Some(Stage::Observing))))
}

async fn cancel_scope_on_failure(
    scope: WorkflowCancellationToken,
    activity: impl Future<Output = Result<(), ActivityExecutionError>>,
) -> Result<(), ActivityExecutionError> {
    let outcome = activity.await;
    if outcome.is_err() {
        scope.cancel();
    }
    outcome
}

/// Why the pipeline ended without a document.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    /// The failure that the scan's owner sees.
    pub(super) failure: ScanFailure,
    /// The error of the activity, for operators: it names the file and says what is wrong with it.
    pub(super) cause: Option<String>,
}

/// Converts a failed activity to the failure that the scan's owner sees: the code of the failure,
/// or `INTERNAL`. The history keeps the whole error for operators.
fn failure_of(error: &ActivityExecutionError, stage: Option<Stage>) -> Failed {
    let found = error.failure().and_then(failure_code);
    let (code, cause) = match found {
        _ if error.as_cancelled().is_some() => (FailureCode::Cancelled, None),
        Some((code, cause)) => (code, Some(cause)),
        None => (FailureCode::Internal, error.failure().map(|failure| failure.message.clone())),
    };
    let cause = cause.map(|cause| cause.chars().take(MAX_CAUSE).collect());
    let message = code.message().to_owned();
    Failed { failure: ScanFailure { code, message, stage, retryable: code.retryable() }, cause }
}

/// Finds the failure code in a chain of causes: it is the type of an application failure. Returns it
/// with the message of that failure.
fn failure_code(failure: &Failure) -> Option<(FailureCode, String)> {
    failure
        .maybe_application_failure()
        .and_then(|info| FailureCode::parse(&info.r#type))
        .map(|code| (code, failure.message.clone()))
        .or_else(|| failure.cause.as_deref().and_then(failure_code))
}
