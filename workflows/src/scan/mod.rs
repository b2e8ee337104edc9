//! The workflow of one scan, from its creation to its end.
//!
//! ```text
//!                    start (update)           begins            ends
//! awaiting_upload ───────────────▶ queued ──────▶ processing ──────▶ complete
//!    │ cancel (update), 24 h                         │ fails
//!    ▼                                               ▼
//! cancelled                                        failed, refunded
//! ```
//!
//! The database is the source of truth for the status. This workflow decides when the next
//! transition is due, and an activity writes it. The parts, in the order of a scan's life:
//!
//! - this file: the updates `start` and `cancel`, and the main function;
//! - [`upload_window`]: waits for the start, the cancellation or the deadline;
//! - [`pipeline`]: runs the five stages;
//! - [`outcome`]: completes or compensates, and deletes obsolete media;
//! - [`visibility`]: keeps the Web UI up to date.
//!
//! # A charge that the workflow does not know of
//!
//! The result of a local activity is durable only when its workflow task completes. If the worker
//! crashes between the charge and that moment, the scan is charged and the workflow's history has
//! no record of it. Therefore `charge` writes an outbox entry (`scan_start`) in its transaction.
//! Until the pipeline's first activity acknowledges the entry, the relay sends the update `start`
//! again. The repeated `charge` returns the first outcome.

#![allow(missing_docs, reason = "the macros generate undocumented items")]

mod outcome;
mod pipeline;
mod upload_window;
mod visibility;

use domain::{
    KeyId, ScanSeed, ScanStatus, Timestamp,
    money::Charge,
    scan::{CancelOutcome, StartOutcome},
};
use serde::{Deserialize, Serialize};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{ContinueAsNewOptions, WorkflowContext, WorkflowContextView, WorkflowResult};

use crate::{
    contract::{
        CancelScan, CancelScanInput, Charge as ChargeActivity, ChargeInput, VerifyInput, VerifyUploads,
    },
    options,
};
use upload_window::Window;

/// Input of the update `start`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StartInput {
    /// The API key of the request. Its monthly cap applies.
    #[serde(default)]
    pub key_id: Option<KeyId>,
}

/// Input of the update `cancel`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CancelInput {}

/// Result of a workflow whose scan did not fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanResult {
    /// `complete` or `cancelled`, or an earlier final status that the workflow found in the
    /// database.
    pub status: ScanStatus,
    /// Revision of the space's document. Set for a complete scan.
    #[serde(default)]
    pub document_revision: Option<i64>,
}

/// Error of an update whose activities could not reach the database. The caller repeats the update.
/// Everything that a rule decides is an `Ok`.
type UpdateError = Box<dyn std::error::Error + Send + Sync>;

/// The workflow of one scan.
#[workflow]
pub struct ScanWorkflow {
    seed: ScanSeed,
    /// Set by the first `start` that charged the scan.
    charge: Option<Charge>,
    cancelled: bool,
    /// Number of updates that this run has accepted.
    updates: u32,
    /// Set when the pipeline ended without a document.
    failed: Option<pipeline::Failed>,
    /// Whether the charge was refunded.
    refunded: bool,
}

#[workflow_methods]
impl ScanWorkflow {
    #[init]
    pub fn new(_ctx: &WorkflowContextView, seed: ScanSeed) -> Self {
        Self { seed, charge: None, cancelled: false, updates: 0, failed: None, refunded: false }
    }

    /// Starts the scan: verifies its uploads, then charges and queues it.
    ///
    /// Both steps are local activities. An API request waits for the outcome, each step is one
    /// short database transaction, and dispatching an ordinary activity would take longer than the
    /// step.
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
                options::local_for_update("verify that the uploads are in storage"),
            )
            .await?;
        if verified.missing > 0 {
            return Ok(StartOutcome::UploadIncomplete { missing: verified.missing });
        }
        let outcome = ctx
            .execute_local_activity(
                ChargeActivity,
                ChargeInput { scan_id, key_id: input.key_id, now: now(ctx) },
                options::local_for_update("charge and queue"),
            )
            .await?;
        // `AlreadyStarted` here means that an earlier charge is missing in the history (see the
        // module's documentation): for this workflow the scan starts now. Several updates can run
        // at the same time, and only the first one to get here returns `Started`.
        let (StartOutcome::Started { charge } | StartOutcome::AlreadyStarted { charge }) = outcome else {
            return Ok(outcome);
        };
        Ok(ctx.state_mut(|s| match s.charge.replace(charge) {
            None => StartOutcome::Started { charge },
            Some(_) => StartOutcome::AlreadyStarted { charge },
        }))
    }

    /// Cancels the scan if it still awaits its upload. A local activity, for the same reason as in
    /// [`Self::start`].
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
                options::local_for_update("cancel on request"),
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
        visibility::show(ctx, ScanStatus::AwaitingUpload, None);
        match upload_window::await_start(ctx).await? {
            Window::HistoryFull => {
                outcome::await_handlers(ctx).await?;
                let seed = ctx.state(|s| s.seed.clone());
                ctx.continue_as_new(seed, ContinueAsNewOptions::default()).map(|never| match never {})
            }
            Window::Closed(status) => {
                visibility::show(ctx, status, None);
                if status == ScanStatus::Cancelled {
                    outcome::discard_media(ctx).await?;
                }
                outcome::await_handlers(ctx).await?;
                Ok(ScanResult { status, document_revision: None })
            }
            Window::Started => {
                visibility::show(ctx, ScanStatus::Queued, None);
                match pipeline::run(ctx).await {
                    Ok(saved) => outcome::complete(ctx, saved).await,
                    Err(failure) => outcome::compensate(ctx, failure).await,
                }
            }
        }
    }
}

/// Returns the time of the current workflow task. It is the same on replay, unlike the system's
/// clock.
fn now(ctx: &WorkflowContext<ScanWorkflow>) -> Timestamp {
    ctx.workflow_time().map_or(Timestamp::from_millis(0), Timestamp::from)
}
