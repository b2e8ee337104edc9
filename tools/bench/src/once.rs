//! Runs the five stages over one file, and measures the time of each and the peak memory of this
//! process and of its largest child.

use std::{path::PathBuf, time::Instant};

use clap::Args;
use eval::models::Runtime;
use nix::sys::resource::{UsageWho, getrusage};
use perception::{
    CancelFlag,
    enrich::{self, DocumentContext},
    fuse, ingest,
    models::Models,
    observe::{self, FrameFile, Transcript},
};
use serde::{Deserialize, Serialize};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The video.
    video: PathBuf,
    /// Run without models: frames and zones only.
    #[arg(long)]
    frames_only: bool,
    #[command(flatten)]
    runtime: Runtime,
    /// File for the document.
    #[arg(long)]
    document: Option<PathBuf>,
}

/// Time of each stage in seconds, and peak memory in megabytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) ingest: f64,
    #[serde(rename = "look")]
    pub(crate) observe: f64,
    pub(crate) listen: f64,
    pub(crate) fuse_and_enrich: f64,
    pub(crate) peak_mb: f64,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.runtime.settings();
    let models = if arguments.frames_only { Models::none() } else { arguments.runtime.load(&settings)? };
    let work = tempfile::tempdir()?;
    let cancel = CancelFlag::default();
    let quiet = |_: f32| {};

    let (ingested, ingest) =
        timed(|| ingest::video(&arguments.video, work.path(), &settings, &quiet, &cancel))?;
    let files: Vec<_> = ingested
        .files
        .iter()
        .map(|f| FrameFile { frame_id: f.frame_id.clone(), path: work.path().join(&f.file) })
        .collect();
    let (observed, observe) = timed(|| observe::frames(&models, &files, &quiet, &cancel))?;
    let (transcript, listen) = timed(|| match &ingested.audio {
        Some(audio) if !arguments.frames_only => {
            observe::transcribe(&models, &work.path().join(audio), "en", &quiet, &cancel)
        }
        _ => Ok(Transcript::default()),
    })?;
    let (document, fuse_and_enrich) = timed(|| {
        let fused = fuse::fuse(&ingested, &[observed], &transcript, &settings, &cancel)?;
        let context = DocumentContext { language: "en", frame_key: &|frame: &str| frame.to_owned() };
        Ok::<_, perception::PerceptionError>(enrich::enrich(&ingested, &fused, &context))
    })?;
    if let Some(path) = &arguments.document {
        std::fs::write(path, document.to_bytes()?)?;
    }
    let run = Run { ingest, observe, listen, fuse_and_enrich, peak_mb: peak_mb()? };
    println!("{}", serde_json::to_string(&run)?);
    Ok(())
}

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let began = Instant::now();
    Ok((work()?, began.elapsed().as_secs_f64()))
}

/// Returns the peak memory in megabytes. Linux reports it in kilobytes.
fn peak_mb() -> anyhow::Result<f64> {
    let kilobytes =
        getrusage(UsageWho::RUSAGE_SELF)?.max_rss() + getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    Ok(kilobytes as f64 / 1024.0)
}
