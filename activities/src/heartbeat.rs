//! Long work, watched: heartbeats while it runs, progress in the database, and an end when the
//! workflow no longer wants it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{ScanId, Stage};
use entities::scans;
use perception::{CancelFlag, PerceptionError};
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use crate::{Parts, error};

/// How often the engine hears that the work goes on.
const BEAT: Duration = Duration::from_secs(2);
/// How often progress is written to the database, at most.
const WRITE: Duration = Duration::from_secs(2);

/// How much of some work is done, shared between who does it and who watches it.
#[derive(Clone, Default)]
pub(crate) struct Progress(Arc<AtomicU32>);

impl Progress {
    /// Records the fraction done, 0 to 1.
    pub(crate) fn set(&self, fraction: f32) {
        self.0.store(fraction.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
    }

    fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }
}

/// What is being watched.
pub(crate) struct Watched<'a> {
    pub parts: &'a Parts,
    pub context: &'a ActivityContext,
    pub scan: &'a ScanId,
    /// Whose progress it is; `None` when this is one of several parts of a stage.
    pub stage: Option<Stage>,
}

impl Watched<'_> {
    /// Runs blocking work on a thread of its own. When the workflow cancels the activity (or the worker
    /// shuts down), the flag is raised, and the work is awaited: it must not go on unseen.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Progress, &CancelFlag) -> Result<T, PerceptionError> + Send + 'static,
    ) -> Result<T, ActivityError> {
        let progress = Progress::default();
        let cancel = CancelFlag::default();
        let (seen, raised) = (progress.clone(), cancel.clone());
        let mut working = tokio::task::spawn_blocking(move || work(&seen, &raised));
        let mut beat = tokio::time::interval(BEAT);
        let mut written = Instant::now();
        let mut cancelled = false;
        loop {
            tokio::select! {
                done = &mut working => {
                    let outcome = done.map_err(|panic| error::retry("PANIC", panic.to_string()))?;
                    return if cancelled { Err(ActivityError::cancelled()) } else { outcome.map_err(error::perception) };
                }
                () = self.context.cancelled(), if !cancelled => {
                    cancelled = true;
                    cancel.cancel();
                }
                _ = beat.tick() => {
                    let fraction = progress.get();
                    self.context.record_heartbeat(fraction).await?;
                    if written.elapsed() >= WRITE {
                        written = Instant::now();
                        self.write(fraction).await;
                    }
                }
            }
        }
    }

    /// Waits for something that is not blocking: see [`alive`].
    pub(crate) async fn alive<T>(&self, work: impl Future<Output = T>) -> Result<T, ActivityError> {
        alive(self.context, work).await
    }

    /// One of the parts of a stage that run at once is done.
    pub(crate) async fn part_done(&self, stage: Stage, part: u32, parts: u32) {
        let fraction = (part + 1) as f32 / parts.max(1) as f32;
        Watched { stage: Some(stage), ..*self }.write(fraction).await;
    }

    /// Progress is for people's eyes: a database that is away for a moment must not fail the work.
    async fn write(&self, fraction: f32) {
        let Some(stage) = self.stage else { return };
        let written = self
            .parts
            .db
            .write(async |txn| scans::set_progress(&txn, self.scan, stage, f64::from(fraction)).await)
            .await;
        if let Err(error) = written {
            tracing::warn!(scan = %self.scan, %error, "progress was not written");
        }
    }
}

/// Waits for something that is not blocking, and shows meanwhile that the work goes on. Given up when
/// the workflow cancels the activity.
pub(crate) async fn alive<T>(
    context: &ActivityContext,
    work: impl Future<Output = T>,
) -> Result<T, ActivityError> {
    let mut beat = tokio::time::interval(BEAT);
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok(done),
            () = context.cancelled() => return Err(ActivityError::cancelled()),
            _ = beat.tick() => context.record_heartbeat(0.0_f32).await?,
        }
    }
}
