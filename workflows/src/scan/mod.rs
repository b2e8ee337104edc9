//! The life of one scan, exactly as the contract's state table says.
//!
//! ```text
//!            start (update)                 begins            ends
//! awaiting ───────────────▶ queued ──────▶ processing ──────▶ complete
//!    │ cancel (update), 24 h                     │ fails
//!    ▼                                           ▼
//! cancelled                                    failed, refunded
//! ```
//!
//! The database is the truth of every state; this workflow decides when the next one is due and an
//! activity writes it. An update is durable only once its workflow task completes, so a crash there
//! can leave a charged scan that this workflow never heard of: the charge also writes a start intent,
//! and whoever finds it unacknowledged sends the update again.

#![allow(missing_docs, reason = "the macros make constants and markers without documentation")]

use domain::{
    AccountId, FailureCode, KeyId, Mode, ScanId, ScanStatus, SpaceId, Stage, Timestamp,
    media::InputKind,
    money::Charge,
    scan::{CancelOutcome, ScanFailure, StartOutcome},
};
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ActivityExecutionError, ApplicationFailure, ContinueAsNewOptions, TimerOptions, TimerResult,
    WaitConditionOptions, WorkflowCancellationToken, WorkflowContext, WorkflowContextView, WorkflowResult,
    WorkflowTermination,
    workflows::{join_all, select},
};

use crate::{
    contract::{
        CancelScan, CancelScanInput, Charge as ChargeActivity, ChargeInput, DiscardInput, DiscardMedia,
        EmitEvent, EmitInput, Enrich, Fuse, FuseInput, Ingest, Listen, ObserveFrames, ObserveInput, Refund,
        RefundInput, Save, SaveOutput, SecureInput, SecureMedia, StageInput, VerifyInput, VerifyUploads,
    },
    options, queues, search,
};

/// Updates one run takes before it continues as new; the server's own limit is 2,000.
const UPDATES_A_RUN: u32 = 1_000;

/// Input of [`ScanWorkflow`]: what it must know before it asks anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScanSeed {
    /// The scan.
    pub scan_id: ScanId,
    /// Its owner.
    pub account_id: AccountId,
    /// Its space.
    pub space_id: SpaceId,
    /// Test or live.
    pub mode: Mode,
    /// Video or photos.
    pub kind: InputKind,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it is cancelled unless it was started: 24 hours after its creation.
    pub deadline_at: Timestamp,
}

/// Input of the update `start`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StartInput {
    /// The key that asked, whose monthly cap counts.
    #[serde(default)]
    pub key_id: Option<KeyId>,
}

/// Input of the update `cancel`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CancelInput {}

/// How a scan that did not fail ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanResult {
    /// `complete` or `cancelled` (or what it was before this workflow looked).
    pub status: ScanStatus,
    /// Revision of the space's document, of a complete scan.
    #[serde(default)]
    pub document_revision: Option<i64>,
}

/// Why an update could not be answered: the database is away. The caller asks again; every outcome
/// that a rule decides is an `Ok`.
type UpdateError = Box<dyn std::error::Error + Send + Sync>;

/// How the wait for a start ended.
enum Awaited {
    /// The scan is charged and queued.
    Started,
    /// The scan ended without a start.
    Ended(ScanStatus),
    /// Too many updates for one run.
    RunIsFull,
}

/// The workflow of one scan.
#[workflow]
pub struct ScanWorkflow {
    seed: ScanSeed,
    charge: Option<Charge>,
    cancelled: bool,
    updates: u32,
}

#[workflow_methods]
impl ScanWorkflow {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, seed: ScanSeed) -> Self {
        Self { seed, charge: None, cancelled: false, updates: 0 }
    }

    /// Starts the scan: verifies its uploads and charges it, in one decision.
    #[update(name = "start")]
    pub async fn start(
        ctx: &mut WorkflowContext<Self>,
        input: StartInput,
    ) -> Result<StartOutcome, UpdateError> {
        ctx.state_mut(|s| s.updates += 1);
        if let Some(charge) = ctx.state(|s| s.charge) {
            return Ok(StartOutcome::AlreadyStarted { charge });
        }
        let scan_id = ctx.state(|s| s.seed.scan_id.clone());
        let verified = ctx
            .execute_local_activity(
                VerifyUploads,
                VerifyInput { scan_id: scan_id.clone() },
                options::answer_now("look for the uploads in storage"),
            )
            .await?;
        if verified.missing > 0 {
            return Ok(StartOutcome::UploadIncomplete { missing: verified.missing });
        }
        let outcome = ctx
            .execute_local_activity(
                ChargeActivity,
                ChargeInput { scan_id, key_id: input.key_id, now: now(ctx) },
                options::answer_now("charge and queue"),
            )
            .await?;
        // A charge whose answer was lost has run twice; to this workflow it is news all the same. Of
        // several starts at once, one is told that it started the scan.
        let (StartOutcome::Started { charge } | StartOutcome::AlreadyStarted { charge }) = outcome else {
            return Ok(outcome);
        };
        Ok(ctx.state_mut(|s| match s.charge.replace(charge) {
            None => StartOutcome::Started { charge },
            Some(_) => StartOutcome::AlreadyStarted { charge },
        }))
    }

    /// Cancels the scan, as long as it awaits its upload.
    #[update(name = "cancel")]
    pub async fn cancel(
        ctx: &mut WorkflowContext<Self>,
        _input: CancelInput,
    ) -> Result<CancelOutcome, UpdateError> {
        ctx.state_mut(|s| s.updates += 1);
        let scan_id = ctx.state(|s| s.seed.scan_id.clone());
        let output = ctx
            .execute_local_activity(
                CancelScan,
                CancelScanInput { scan_id, now: now(ctx) },
                options::answer_now("cancel on request"),
            )
            .await?;
        Ok(match output.status {
            None => CancelOutcome::NotFound,
            Some(ScanStatus::Cancelled) => {
                ctx.state_mut(|s| s.cancelled = true);
                CancelOutcome::Cancelled
            }
            Some(status) => CancelOutcome::NotCancellable { status },
        })
    }

    #[run(name = "ScanWorkflow")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<ScanResult> {
        show(ctx, ScanStatus::AwaitingUpload, None);
        match await_start(ctx).await? {
            Awaited::RunIsFull => {
                handlers_done(ctx).await?;
                let seed = ctx.state(|s| s.seed.clone());
                ctx.continue_as_new(seed, ContinueAsNewOptions::default()).map(|never| match never {})
            }
            Awaited::Ended(status) => {
                show(ctx, status, None);
                if status == ScanStatus::Cancelled {
                    discard_media(ctx).await?;
                }
                handlers_done(ctx).await?;
                Ok(ScanResult { status, document_revision: None })
            }
            Awaited::Started => {
                show(ctx, ScanStatus::Queued, None);
                match pipeline(ctx).await {
                    Ok(saved) => finish(ctx, saved).await,
                    Err(failure) => compensate(ctx, failure).await,
                }
            }
        }
    }
}

/// Waits until the scan is started, cancelled, or out of time.
async fn await_start(ctx: &WorkflowContext<ScanWorkflow>) -> Result<Awaited, WorkflowTermination> {
    let remaining = ctx.state(|s| s.seed.deadline_at).since(now(ctx));
    let timer_scope = ctx.cancellation_token().child_token();
    let timer = TimerOptions::builder(remaining)
        .summary("cancelled unless it is started".to_owned())
        .cancellation_token(timer_scope.clone())
        .build();
    let decided = |s: &ScanWorkflow| s.charge.is_some() || s.cancelled || s.updates >= UPDATES_A_RUN;
    let out_of_time = select! {
        fired = ctx.timer(timer) => fired == TimerResult::Fired,
        _ = ctx.wait_condition(decided) => false,
    };
    timer_scope.cancel();
    if ctx.state(|s| s.charge.is_some()) {
        return Ok(Awaited::Started);
    }
    if ctx.state(|s| s.cancelled) {
        return Ok(Awaited::Ended(ScanStatus::Cancelled));
    }
    let operator_cancelled = ctx.cancellation_token().is_cancelled();
    if !out_of_time && !operator_cancelled {
        return Ok(Awaited::RunIsFull);
    }
    // The database has the last word: a start may have been charged just now.
    let output = ctx
        .execute_local_activity(
            CancelScan,
            CancelScanInput { scan_id: ctx.state(|s| s.seed.scan_id.clone()), now: now(ctx) },
            options::until_done(if out_of_time { "cancel: out of time" } else { "cancel: by operator" }),
        )
        .await
        .map_err(engine_failure)?;
    Ok(match output.status {
        Some(ScanStatus::Queued | ScanStatus::Processing) => Awaited::Started,
        Some(status) => Awaited::Ended(status),
        None => Awaited::Ended(ScanStatus::Cancelled),
    })
}

/// The five stages, in order; looking and listening in parallel.
async fn pipeline(ctx: &WorkflowContext<ScanWorkflow>) -> Result<SaveOutput, ScanFailure> {
    let seed = ctx.state(|s| s.seed.clone());
    let account = &seed.account_id;
    let input = StageInput { scan_id: seed.scan_id.clone() };
    let on = |queue: &str, summary: &str| options::stage(queue, account, summary.to_owned());

    ctx.execute_activity(
        SecureMedia,
        SecureInput { scan_id: seed.scan_id.clone() },
        on(queues::SCANS, "copy the uploads out of reach"),
    )
    .await
    .map_err(|e| failure_of(&e, None))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Ingesting));
    let ingested = ctx
        .execute_activity(Ingest, input.clone(), on(queues::MEDIA, "decode, keep sharp and new frames"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Ingesting)))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Observing));
    observe(ctx, &seed, ingested.batches, ingested.listen).await?;

    show(ctx, ScanStatus::Processing, Some(Stage::Fusing));
    let observed = FuseInput { scan_id: seed.scan_id.clone(), batches: ingested.batches };
    ctx.execute_activity(Fuse, observed, on(queues::FUSION, "join into zones, texts and things"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Fusing)))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Enriching));
    ctx.execute_activity(Enrich, input.clone(), on(queues::FUSION, "write the document"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Enriching)))?;

    show(ctx, ScanStatus::Processing, Some(Stage::Saving));
    ctx.execute_activity(Save, input, on(queues::FUSION, "record document and event"))
        .await
        .map_err(|e| failure_of(&e, Some(Stage::Saving)))
}

/// Looks at all batches of frames and listens, at once. The first failure calls the others off.
async fn observe(
    ctx: &WorkflowContext<ScanWorkflow>,
    seed: &ScanSeed,
    batches: u32,
    listen: bool,
) -> Result<(), ScanFailure> {
    let scope = ctx.cancellation_token().child_token();
    let options = |summary: String| {
        let mut options = options::stage(queues::VISION, &seed.account_id, summary);
        options.cancellation_token = Some(scope.clone());
        options
    };
    let looking = (0..batches).map(|batch| {
        let input = ObserveInput { scan_id: seed.scan_id.clone(), batch, batches };
        let called = ctx.execute_activity(
            ObserveFrames,
            input,
            options(format!("look at batch {} of {batches}", batch + 1)),
        );
        call_off_others(scope.clone(), async move { called.await.map(|_| ()) })
    });
    let looking = join_all(looking.collect::<Vec<_>>());
    let outcomes = if listen {
        let input = StageInput { scan_id: seed.scan_id.clone() };
        let called = ctx.execute_activity(Listen, input, options("listen".to_owned()));
        let listening = call_off_others(scope.clone(), async move { called.await.map(|_| ()) });
        let (mut looked, heard) = temporalio_sdk::workflows::join!(looking, listening);
        looked.push(heard);
        looked
    } else {
        looking.await
    };
    // Of several errors the cause is the one that is not a mere cancellation, if there is one.
    let errors: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
    let cause = errors.iter().find(|e| e.as_cancelled().is_none()).or(errors.first());
    cause.map_or(Ok(()), |e| Err(failure_of(e, Some(Stage::Observing))))
}

async fn call_off_others(
    scope: WorkflowCancellationToken,
    called: impl Future<Output = Result<(), ActivityExecutionError>>,
) -> Result<(), ActivityExecutionError> {
    let outcome = called.await;
    if outcome.is_err() {
        scope.cancel();
    }
    outcome
}

/// The scan is complete (in the database, with its event): tell the world and tidy up.
async fn finish(ctx: &WorkflowContext<ScanWorkflow>, saved: SaveOutput) -> WorkflowResult<ScanResult> {
    show(ctx, ScanStatus::Complete, None);
    emit(ctx, EmitInput { event_id: saved.event_id }).await?;
    discard_media(ctx).await?;
    handlers_done(ctx).await?;
    Ok(ScanResult { status: ScanStatus::Complete, document_revision: Some(saved.revision) })
}

/// The scan failed: give the money back, tell the world, tidy up, and fail this workflow so that an
/// operator sees it as failed, with its code. None of this can be cancelled.
async fn compensate(ctx: &WorkflowContext<ScanWorkflow>, failure: ScanFailure) -> WorkflowResult<ScanResult> {
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
        .map_err(engine_failure)?;
    let Some(event_id) = refunded.event_id else {
        // It had ended otherwise before: a save whose answer was lost, for instance.
        return Ok(ScanResult { status: ScanStatus::Complete, document_revision: None });
    };
    show(ctx, ScanStatus::Failed, failure.stage);
    emit(ctx, EmitInput { event_id }).await?;
    discard_media(ctx).await?;
    handlers_done(ctx).await?;
    if failure.code == FailureCode::Cancelled {
        return Err(WorkflowTermination::cancelled());
    }
    Err(ApplicationFailure::builder(failure.message.clone())
        .type_name(failure.code.as_str().to_owned())
        .non_retryable(true)
        .build()
        .into())
}

async fn emit(ctx: &WorkflowContext<ScanWorkflow>, input: EmitInput) -> Result<(), WorkflowTermination> {
    ctx.execute_activity(EmitEvent, input, options::compensation(queues::WEBHOOKS, "tell the endpoints"))
        .await
        .map(|_| ())
        .map_err(engine_failure)
}

async fn discard_media(ctx: &WorkflowContext<ScanWorkflow>) -> Result<(), WorkflowTermination> {
    let input = DiscardInput { scan_id: ctx.state(|s| s.seed.scan_id.clone()) };
    ctx.execute_activity(
        DiscardMedia,
        input,
        options::compensation(queues::SCANS, "delete what is no longer needed"),
    )
    .await
    .map_err(engine_failure)
}

/// Waits until every update that was accepted is answered: ending before would lose its answer.
async fn handlers_done(ctx: &WorkflowContext<ScanWorkflow>) -> Result<(), WorkflowTermination> {
    let never = WaitConditionOptions::builder().cancellation_token(WorkflowCancellationToken::new()).build();
    ctx.wait_condition_with_options(|_| ctx.all_handlers_finished(), never).await.map_err(Into::into)
}

/// What operators see: search attributes to filter by, and current details to read.
fn show(ctx: &WorkflowContext<ScanWorkflow>, status: ScanStatus, stage: Option<Stage>) {
    ctx.upsert_search_attributes([
        search::SCAN_STATUS.value_set(status.as_str().to_owned()),
        search::SCAN_STAGE.value_set(stage.map_or("none", Stage::as_str).to_owned()),
    ]);
    let details = ctx.state(|s| {
        let stage = stage.map(|s| format!(", {s}")).unwrap_or_default();
        let charge = s.charge.map_or("nothing charged".to_owned(), |c| {
            format!("{}, {} cents", c.kind.as_str(), c.price_cents)
        });
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

/// The workflow's own clock: the time of the workflow task, the same on replay.
fn now(ctx: &WorkflowContext<ScanWorkflow>) -> Timestamp {
    ctx.workflow_time().map_or(Timestamp::from_millis(0), Timestamp::from)
}

/// What the caller is told of a failed activity: the code its failure is typed with, or that it was
/// our fault. The history keeps the whole of it for operators.
fn failure_of(error: &ActivityExecutionError, stage: Option<Stage>) -> ScanFailure {
    let code = if error.as_cancelled().is_some() {
        FailureCode::Cancelled
    } else {
        error.failure().and_then(typed).unwrap_or(FailureCode::Internal)
    };
    ScanFailure { code, message: code.message().to_owned(), stage, retryable: code.retryable() }
}

/// The code an application failure in the chain of causes is typed with.
fn typed(failure: &temporalio_common::protos::temporal::api::failure::v1::Failure) -> Option<FailureCode> {
    failure
        .maybe_application_failure()
        .and_then(|info| FailureCode::parse(&info.r#type))
        .or_else(|| failure.cause.as_deref().and_then(typed))
}

/// A compensation that can never succeed (its input does not parse, say): the workflow stays open for
/// an operator rather than forgetting the scan's money.
fn engine_failure(error: ActivityExecutionError) -> WorkflowTermination {
    ApplicationFailure::builder(error)
        .type_name("COMPENSATION_FAILED".to_owned())
        .non_retryable(true)
        .build()
        .into()
}
