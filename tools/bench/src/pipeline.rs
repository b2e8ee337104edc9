//! `bench pipeline`: compares the five stages with plain decoding and with real time, and measures
//! whether memory grows with the length of the video.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use crate::once::Run;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Video of the walk.
    #[arg(long)]
    video: PathBuf,
    /// Ground truth of the walk.
    #[arg(long)]
    truth: PathBuf,
    /// Length of the walk in seconds.
    #[arg(long)]
    seconds: f64,
    /// Run the models with onnxruntime instead of rten.
    #[arg(long)]
    onnxruntime: bool,
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let document = folder.path().join("document.json");
    let decode = decode_seconds(&arguments.video)?;
    let frames = once(&arguments.video, &["--frames-only"], None)?;
    let decode_again = decode_seconds(&arguments.video)?;
    let runtime = arguments.onnxruntime.then_some("--onnxruntime");
    let all = once(&arguments.video, runtime.as_slice(), Some(&document))?;
    let long = ten_times(&arguments.video, folder.path())?;
    let long = once(&long, &["--frames-only"], None)?;
    let score = eval::score::compare_files(&document, &arguments.truth)?;

    // The slower decode would make the ratio look better.
    let decode = decode.min(decode_again);
    let total = all.ingest + all.observe + all.listen + all.fuse_and_enrich;
    let line = json!({
        "ratio_to_decode": (frames.ingest + frames.fuse_and_enrich) / decode,
        "ratio_to_real_time": total / arguments.seconds,
        "memory_growth_10x": long.peak_mb / frames.peak_mb,
        "peak_mb": all.peak_mb.max(long.peak_mb),
        "text_recall": score.text_recall,
        "zone_f1": score.zone_f1,
        "decode_seconds": decode,
        "stages": all,
        "cores": std::thread::available_parallelism()?.get(),
    });
    crate::print_results(&line, arguments.json)
}

/// Measures plain decoding, the minimum work of any program that reads the video.
fn decode_seconds(video: &Path) -> anyhow::Result<f64> {
    let began = Instant::now();
    let status = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-i"])
        .arg(video)
        .args(["-f", "null", "-"])
        .status()
        .context("ffmpeg")?;
    ensure!(status.success(), "ffmpeg could not decode {}", video.display());
    Ok(began.elapsed().as_secs_f64())
}

/// Runs the stages in a separate process, to measure its peak memory.
fn once(video: &Path, flags: &[&str], document: Option<&Path>) -> anyhow::Result<Run> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("once").arg(video).args(flags);
    if let Some(document) = document {
        command.arg("--document").arg(document);
    }
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Repeats the video ten times, without encoding it again.
fn ten_times(video: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let long = folder.join("long.mp4");
    let status = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-stream_loop", "9", "-i"])
        .arg(video)
        .args(["-c", "copy"])
        .arg(&long)
        .status()
        .context("ffmpeg")?;
    ensure!(status.success(), "ffmpeg could not repeat {}", video.display());
    Ok(long)
}
