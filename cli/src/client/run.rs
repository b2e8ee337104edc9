//! `scan run VIDEO|PHOTOS…`: creates a scan, uploads the media, starts it, waits for it, and saves
//! the document.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, bail};
use clap::Args;
use domain::{
    ScanStatus, SpaceId, Stage,
    document::SpaceDocument,
    media::{InputKind, Transcript},
    scan::Scan,
    space::NewSpace,
};
use indicatif::{ProgressBar, ProgressStyle};

use super::{Connection, api::Api, input::Media, save, summary};

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
    /// Name of the new space.
    #[arg(long, default_value = "My space")]
    pub name: String,
    /// Type label of the new space, for example `apartment`.
    #[arg(long, default_value = "other")]
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

/// Runs the command.
///
/// # Errors
/// Returns an error if the API, the network or the disk fails, or the scan does not complete.
pub async fn run(args: RunArgs) -> anyhow::Result<Finished> {
    let media = Media::find(&args.media)?;
    let api = Api::new(&args.connection)?;
    let transcript = args.transcript.as_ref().map(read_transcript).transpose()?;
    let space = match args.space {
        Some(space) => space,
        None => {
            let new = NewSpace {
                name: args.name,
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
    upload(&api, &media, &scan).await?;
    api.start(&scan.id).await?;
    let scan = follow(&api, scan).await?;
    if scan.status != ScanStatus::Complete {
        let reason =
            scan.error.as_ref().map_or("no reason given".into(), |e| format!("{}: {}", e.code, e.message));
        bail!("scan {} is {}: {reason}", scan.id, scan.status);
    }
    let document = api.document(&space).await?.context("the space has no document")?;
    let saved = save::save(&api, &document, &args.out).await?;
    summary::print(&scan, &document, &saved);
    Ok(Finished { scan, document, saved })
}

fn read_transcript(path: &PathBuf) -> anyhow::Result<Transcript> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a valid transcript", path.display()))
}

async fn upload(api: &Api, media: &Media, scan: &Scan) -> anyhow::Result<()> {
    let instructions = scan.upload.as_ref().context("the API returned no upload instructions")?;
    let bar = ProgressBar::new(media.bytes());
    bar.set_style(ProgressStyle::with_template(
        "{msg:>10} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec} {eta}",
    )?);
    bar.set_message("uploading");
    for (index, file) in media.files.iter().enumerate() {
        let index = (media.kind == InputKind::Frames).then(|| u32::try_from(index)).transpose()?;
        let progress = bar.clone();
        api.upload(instructions, index, file.content_type, &file.path, move |bytes| progress.inc(bytes))
            .await
            .with_context(|| format!("uploading {}", file.path.display()))?;
    }
    bar.finish_with_message("uploaded");
    Ok(())
}

/// Polls a started scan until it ends, and draws one progress bar for all stages.
async fn follow(api: &Api, mut scan: Scan) -> anyhow::Result<Scan> {
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
