//! Runs the work of a stage: records its progress, and stops it when the activity is cancelled.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use domain::{ScanId, Stage, Timestamp};
use entities::scans;
use perception::{CancelFlag, PerceptionError};
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use crate::{Dependencies, error, heartbeat::until_stopped, stop};

/// Time between two writes of the progress to the database.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// Progress of some work: the working thread sets it, and the activity reads it.
#[derive(Clone, Default)]
pub(super) struct Progress(Arc<AtomicU32>);

impl Progress {
    /// Sets the completed fraction, 0 to 1.
    pub(super) fn set(&self, fraction: f32) {
        self.0.store(fraction.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
    }

    fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }
}

/// Runs the work of one stage, or of one part of it. [`crate::attempt`] sends the heartbeats.
pub(super) struct StageRunner<'a> {
    pub deps: &'a Dependencies,
    pub context: &'a ActivityContext,
    pub scan: &'a ScanId,
    /// The stage whose progress is recorded. `None` for one of several parts of a stage, which
    /// would overwrite each other's progress.
    pub stage: Option<Stage>,
}

impl StageRunner<'_> {
    /// Runs blocking work on its own thread.
    ///
    /// If the workflow cancels the activity, or the worker shuts down, this raises the cancel flag
    /// and waits for the work: the thread must not outlive the activity.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Progress, &CancelFlag) -> Result<T, PerceptionError> + Send + 'static,
    ) -> Result<T, ActivityError> {
        let progress = Progress::default();
        let cancel = CancelFlag::default();
        let (work_progress, work_cancel) = (progress.clone(), cancel.clone());
        let mut running = tokio::task::spawn_blocking(move || work(&work_progress, &work_cancel));
        let mut recording = std::pin::pin!(self.keep_recording(&progress));
        let mut stopped = false;
        loop {
            tokio::select! {
                done = &mut running => {
                    let outcome = done.map_err(|panic| error::retry("PANIC", panic.to_string()))?;
                    return if stopped { Err(error::stopped()) } else { outcome.map_err(error::perception) };
                }
                () = stop::requested(self.context), if !stopped => {
                    stopped = true;
                    cancel.cancel();
                }
                () = &mut recording, if !stopped => {}
            }
        }
    }

    /// Runs async work: see [`until_stopped`].
    pub(super) async fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, ActivityError> {
        until_stopped(self.context, work).await
    }

    /// Records the end of one of the parts of a stage that run in parallel.
    pub(super) async fn part_done(&self, stage: Stage, part: u32, parts: u32) {
        let fraction = (part + 1) as f32 / parts.max(1) as f32;
        StageRunner { stage: Some(stage), ..*self }.record_progress(fraction).await;
    }

    /// Records the progress from time to time. Never returns.
    async fn keep_recording(&self, progress: &Progress) {
        loop {
            tokio::time::sleep(PROGRESS_INTERVAL).await;
            self.record_progress(progress.get()).await;
        }
    }

    /// Records the progress. It is informative only, so an error is logged and does not fail the
    /// stage.
    async fn record_progress(&self, fraction: f32) {
        let Some(stage) = self.stage else { return };
        let (fraction, now) = (f64::from(fraction), Timestamp::now());
        let written = self
            .deps
            .db
            .write(async |txn| scans::set_progress(&txn, self.scan, stage, fraction, now).await)
            .await;
        if let Err(error) = written {
            tracing::warn!(scan = %self.scan, %error, "failed to record progress");
        }
    }
}
