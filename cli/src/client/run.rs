//! `scan run VIDEO|PHOTOS…`: creates a scan, uploads the media, starts it, waits for it, and saves
//! the document.

use std::{path::PathBuf, time::Duration};

use anyhow::Context;
use clap::Args;
use domain::{
    ScanStatus, SpaceId, Stage, document::SpaceDocument, media::Transcript, scan::Scan, space::NewSpace,
};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    api::Api,
    connection::Connection,
    exit::ScanEnded,
    input::Media,
    output, save, summary,
    uploads::{self, Note, Upload},
};

/// Scan a video or photos of a place.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// URL and key of the API.
    #[command(flatten)]
    pub connection: Connection,
    /// One video, photos in order, or a folder of photos.
    #[arg(required = true)]
    pub media: Vec<PathBuf>,
    /// Space to scan. Default: a new space.
    #[arg(long)]
    pub space: Option<SpaceId>,
    /// Name of the new space. Default: the name of the file or folder.
    #[arg(long)]
    pub name: Option<String>,
    /// Type label of the new space, for example `apartment`.
    #[arg(long = "type", alias = "space-type", default_value = "other")]
    pub space_type: String,
    /// Your own reference for the new space.
    #[arg(long)]
    pub external_id: Option<String>,
    /// Language of speech and text, as a BCP 47 tag.
    #[arg(long, default_value = "en")]
    pub language: String,
    /// JSON file with a transcript: `{text, segments:[{start_ms,end_ms,text}]}`.
    #[arg(long)]
    pub transcript: Option<PathBuf>,
    /// Folder for the document and its frames.
    #[arg(long, default_value = "scan-result")]
    pub out: PathBuf,
}

/// A complete scan and its saved result.
#[derive(Debug)]
pub struct Finished {
    /// The complete scan.
    pub scan: Scan,
    /// Document of the space.
    pub document: SpaceDocument,
    /// Paths of the saved files.
    pub saved: save::Saved,
}

/// Runs the command and prints a summary, or the scan as JSON.
///
/// # Errors
/// Returns an error if the API, the network or the disk fails, or the scan does not complete.
pub async fn run(args: RunArgs, as_json: bool) -> anyhow::Result<Finished> {
    let api = Api::new(&args.connection)?.patient();
    let out = args.out.clone();
    let scan = begin(&api, args).await?;
    let scan = follow(&api, scan).await?;
    ended(&scan)?;
    let document = api.document(&scan.space_id).await?.context("the space has no document")?;
    let saved = save::save(&api, &document, &out).await?;
    if as_json {
        output::show(true, &serde_json::to_value(&scan)?, |_| ());
    } else {
        summary::print(&scan, &document, &saved);
    }
    Ok(Finished { scan, document, saved })
}

/// Creates a scan of the media, uploads them and starts it; or continues an upload that was interrupted.
///
/// # Errors
/// Returns an error if the media are invalid, or the API, the network or the disk fails.
pub async fn begin(api: &Api, args: RunArgs) -> anyhow::Result<Scan> {
    let media = Media::find(&args.media)?;
    let transcript = args.transcript.as_ref().map(read_transcript).transpose()?;
    let given = args.space.as_ref().map(ToString::to_string).unwrap_or_default();
    let name = args.name.clone().unwrap_or_else(|| media.name());
    let reference = args.external_id.clone().unwrap_or_default();
    let target = [&api.access().base, &api.access().mode, &given, &name, &reference].map(String::as_str);
    let note = Note::new(&target, &media)?;
    let (scan, mut upload) = match unfinished(api, &note).await? {
        Some((scan, upload)) => {
            tracing::info!(scan = %scan.id, received = upload.received.len(), "continuing an upload");
            (scan, upload)
        }
        None => {
            let space = match args.space {
                Some(space) => space,
                None => {
                    let new = NewSpace {
                        name,
                        space_type: args.space_type,
                        external_id: args.external_id,
                        description: None,
                    };
                    api.create_space(&new).await?.id
                }
            };
            let input = media.declare(&args.language, transcript);
            // One key per command, so that a retry does not create a second scan.
            let idempotency_key = domain::RequestId::new().to_string();
            let scan = api.create_scan(&space, &input, &idempotency_key).await?;
            tracing::info!(scan = %scan.id, space = %space, "created");
            let upload = Upload { space, scan: scan.id.clone(), received: Vec::new() };
            note.write(&upload)?;
            (scan, upload)
        }
    };
    uploads::send(api, &media, &scan, &mut upload, &note).await?;
    let started = api.start(&scan.id).await?;
    note.remove();
    Ok(started)
}

/// Returns the scan of an upload that was interrupted, if it still waits for its files.
async fn unfinished(api: &Api, note: &Note) -> anyhow::Result<Option<(Scan, Upload)>> {
    let Some(upload) = note.read() else { return Ok(None) };
    match api.scan(&upload.scan).await {
        Ok(scan) if scan.status == ScanStatus::AwaitingUpload => Ok(Some((scan, upload))),
        Ok(_) => Ok(None),
        Err(error) if super::exit::is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns an error if the scan has ended without a document.
///
/// # Errors
/// Returns [`ScanEnded`] with the reason.
pub fn ended(scan: &Scan) -> anyhow::Result<()> {
    if scan.status == ScanStatus::Complete {
        return Ok(());
    }
    let error = scan.error.as_ref();
    Err(ScanEnded {
        scan: scan.id.to_string(),
        status: scan.status.as_str().to_owned(),
        code: error.map_or("NOT_COMPLETE".to_owned(), |error| error.code.to_string()),
        message: error.map_or("it has no document".to_owned(), |error| error.message.clone()),
    }
    .into())
}

fn read_transcript(path: &PathBuf) -> anyhow::Result<Transcript> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a valid transcript", path.display()))
}

/// Polls a started scan until it ends, and draws one progress bar for all stages.
///
/// # Errors
/// Returns an error if the API refuses or cannot be reached.
pub async fn follow(api: &Api, mut scan: Scan) -> anyhow::Result<Scan> {
    const PER_STAGE: u64 = 1_000;
    let bar = ProgressBar::new(PER_STAGE * Stage::ALL.len() as u64);
    bar.set_style(ProgressStyle::with_template("{msg:>10} [{bar:40}] {elapsed}")?);
    loop {
        scan = api.scan(&scan.id).await?;
        if let Some(progress) = scan.progress {
            let before = Stage::ALL.iter().position(|s| *s == progress.stage).unwrap_or(0) as u64;
            bar.set_message(progress.stage.as_str());
            bar.set_position(before * PER_STAGE + (progress.fraction * PER_STAGE as f64) as u64);
        } else {
            bar.set_message(scan.status.as_str());
        }
        if scan.status.is_terminal() {
            bar.finish_with_message(scan.status.as_str());
            return Ok(scan);
        }
        tokio::time::sleep(Duration::from_millis(1_000)).await;
    }
}
