//! Activities of the five stages: each reads its inputs from storage, calls `perception`, and
//! writes its outputs to storage.
//!
//! Stages exchange files through storage, at the keys of `domain::layout`, so any worker can run
//! any stage. The same input produces the same objects at the same keys.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

mod artifacts;
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
    failpoint::failpoint,
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
        let stage = Stage::Ingesting;
        attempt::run(&self.deps, &ctx, &input.scan_id, Some(stage), async {
            let scan = self.begin(&ctx, &input.scan_id, stage).await?;
            let output = ingest::run(&self.deps, &ctx, &scan).await?;
            failpoint("ingest").await?;
            Ok(output)
        })
        .await
    }

    /// Observes one batch of frames.
    #[activity(definition = contract::ObserveFrames)]
    pub async fn observe_frames(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ObserveInput,
    ) -> Result<ObserveOutput, ActivityError> {
        let stage = Stage::Observing;
        attempt::run(&self.deps, &ctx, &input.scan_id, Some(stage), async {
            let scan = self.begin(&ctx, &input.scan_id, stage).await?;
            let output = observe::frames(&self.deps, &ctx, &scan, input.batch, input.batches).await?;
            failpoint("observe_frames").await?;
            Ok(output)
        })
        .await
    }

    /// Transcribes the sound.
    #[activity(definition = contract::Listen)]
    pub async fn listen(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<ListenOutput, ActivityError> {
        let stage = Stage::Observing;
        attempt::run(&self.deps, &ctx, &input.scan_id, Some(stage), async {
            let scan = self.begin(&ctx, &input.scan_id, stage).await?;
            let output = observe::sound(&self.deps, &ctx, &scan).await?;
            failpoint("listen").await?;
            Ok(output)
        })
        .await
    }

    /// Fuses the observations into zones, texts and objects.
    #[activity(definition = contract::Fuse)]
    pub async fn fuse(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: FuseInput,
    ) -> Result<FuseOutput, ActivityError> {
        let stage = Stage::Fusing;
        attempt::run(&self.deps, &ctx, &input.scan_id, Some(stage), async {
            let scan = self.begin(&ctx, &input.scan_id, stage).await?;
            let output = write::fuse(&self.deps, &ctx, &scan, input.batches).await?;
            failpoint("fuse").await?;
            Ok(output)
        })
        .await
    }

    /// Writes the document.
    #[activity(definition = contract::Enrich)]
    pub async fn enrich(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<EnrichOutput, ActivityError> {
        let stage = Stage::Enriching;
        attempt::run(&self.deps, &ctx, &input.scan_id, Some(stage), async {
            let scan = self.begin(&ctx, &input.scan_id, stage).await?;
            let output = write::enrich(&self.deps, &ctx, &scan).await?;
            failpoint("enrich").await?;
            Ok(output)
        })
        .await
    }

    /// Records document, status and event in one transaction.
    #[activity(definition = contract::Save)]
    pub async fn save(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StageInput,
    ) -> Result<SaveOutput, ActivityError> {
        let stage = Stage::Saving;
        attempt::run(&self.deps, &ctx, &input.scan_id, Some(stage), async {
            let scan = self.begin(&ctx, &input.scan_id, stage).await?;
            let output = until_stopped(&ctx, save::run(&self.deps, &scan)).await??;
            failpoint("save").await?;
            Ok(output)
        })
        .await
    }
}

impl StageActivities {
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
