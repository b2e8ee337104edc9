//! Activities of the five stages: each reads its inputs from storage, calls `perception`, and
//! writes its outputs to storage.
//!
//! Stages exchange files through storage, at the keys of `domain::layout`, so any worker can run
//! any stage. The same input produces the same objects at the same keys.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

mod artifacts;
mod corrections;
mod forced_outcome;
mod ingest;
mod observe;
mod runner;
mod save;
mod write;

use std::sync::Arc;

use domain::{ScanId, Stage, Timestamp};
use entities::{ScanRow, scans, scans::StageOutcome};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{
    self, EnrichOutput, FuseInput, FuseOutput, IngestOutput, ListenOutput, ObserveInput, ObserveOutput,
    SaveOutput, StageInput,
};

use crate::{
    Dependencies, attempt,
    error::{database, scan_ended},
    failpoint,
    heartbeat::until_stopped,
};

/// Implements `workflows::contract::Stages`.
pub struct StageActivities {
    pub(crate) deps: Arc<Dependencies>,
}

#[activities]
impl StageActivities {
    /// Decodes the media, keeps sharp and new frames, and extracts the sound.
    #[activity(definition = contract::Ingest)]
    pub async fn ingest(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<IngestOutput, ActivityError> {
        let (deps, ctx) = (&self.deps, &ctx);
        let work = |scan: ScanRow| async move { ingest::run(deps, ctx, &scan).await };
        self.attempt(ctx, &input.scan_id, "ingest", Stage::Ingesting, work).await
    }

    /// Observes one batch of frames.
    #[activity(definition = contract::ObserveFrames)]
    pub async fn observe_frames(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ObserveInput,
    ) -> Result<ObserveOutput, ActivityError> {
        let (deps, ctx, batch, batches) = (&self.deps, &ctx, input.batch, input.batches);
        let work = |scan: ScanRow| async move { observe::frames(deps, ctx, &scan, batch, batches).await };
        self.attempt(ctx, &input.scan_id, "observe_frames", Stage::Observing, work).await
    }

    /// Transcribes the sound.
    #[activity(definition = contract::Listen)]
    pub async fn listen(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<ListenOutput, ActivityError> {
        let (deps, ctx) = (&self.deps, &ctx);
        let work = |scan: ScanRow| async move { observe::sound(deps, ctx, &scan).await };
        self.attempt(ctx, &input.scan_id, "listen", Stage::Observing, work).await
    }

    /// Fuses the observations into zones, texts and objects.
    #[activity(definition = contract::Fuse)]
    pub async fn fuse(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: FuseInput,
    ) -> Result<FuseOutput, ActivityError> {
        let (deps, ctx, batches) = (&self.deps, &ctx, input.batches);
        let work = |scan: ScanRow| async move { write::fuse(deps, ctx, &scan, batches).await };
        self.attempt(ctx, &input.scan_id, "fuse", Stage::Fusing, work).await
    }

    /// Writes the document.
    #[activity(definition = contract::Enrich)]
    pub async fn enrich(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<EnrichOutput, ActivityError> {
        let (deps, ctx) = (&self.deps, &ctx);
        let work = |scan: ScanRow| async move { write::enrich(deps, ctx, &scan).await };
        self.attempt(ctx, &input.scan_id, "enrich", Stage::Enriching, work).await
    }

    /// Records document, status and event in one transaction.
    #[activity(definition = contract::Save)]
    pub async fn save(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<SaveOutput, ActivityError> {
        let (deps, ctx) = (&self.deps, &ctx);
        let work = |scan: ScanRow| async move { until_stopped(ctx, save::run(deps, &scan)).await? };
        self.attempt(ctx, &input.scan_id, "save", Stage::Saving, work).await
    }
}

impl StageActivities {
    /// Runs one attempt of an activity: moves the scan into its stage, and works on the scan.
    async fn attempt<T, F>(
        &self,
        ctx: &ActivityContext,
        id: &ScanId,
        activity: &'static str,
        stage: Stage,
        work: impl FnOnce(ScanRow) -> F + Send,
    ) -> Result<T, ActivityError>
    where
        T: Send,
        F: Future<Output = Result<T, ActivityError>> + Send,
    {
        let attempt = failpoint::around(activity, id.as_str(), async {
            let scan = self.begin(ctx, id, stage).await?;
            work(scan).await
        });
        attempt::run(&self.deps, ctx, id, Some(stage), attempt).await
    }

    /// Moves the scan into a stage and returns it. Fails if the scan has ended in the meantime, except
    /// for `save`: a repeated `save` returns the first outcome.
    async fn begin(
        &self,
        ctx: &ActivityContext,
        id: &ScanId,
        stage: Stage,
    ) -> Result<ScanRow, ActivityError> {
        let now = Timestamp::now();
        let begun = self
            .deps
            .db
            .write(async |txn| scans::begin_stage(&txn, id, stage, now).await)
            .await
            .map_err(database)?;
        match begun {
            StageOutcome::NotProcessing { status } if stage != Stage::Saving => {
                tracing::info!(scan = %id, %status, %stage, "skipped a stage: the scan has ended");
                Err(scan_ended())
            }
            _ => {
                let scan = self.deps.scan(id).await?;
                forced_outcome::apply(&self.deps, ctx, &scan, stage).await?;
                Ok(scan)
            }
        }
    }
}
