//! Saves a document and its evidence: `document.json` beside `frames/`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use domain::document::SpaceDocument;
use futures::{StreamExt, TryStreamExt};

use super::api::Api;

/// Frames fetched at once.
const AT_ONCE: usize = 4;

/// What was saved.
#[derive(Debug)]
pub struct Saved {
    /// The document.
    pub document: PathBuf,
    /// Its frames' folder.
    pub frames: PathBuf,
}

/// Writes the document and fetches every frame that it cites.
///
/// # Errors
/// What the API, the network or the disk say.
pub async fn save(api: &Api, document: &SpaceDocument, out: &Path) -> anyhow::Result<Saved> {
    let frames = out.join("frames");
    std::fs::create_dir_all(&frames).with_context(|| format!("{}", frames.display()))?;
    futures::stream::iter(document.frames.iter().filter_map(|f| Some((&f.id, f.url.as_ref()?))))
        .map(async |(id, url)| {
            let bytes = api.fetch(url).await.with_context(|| format!("frame {id}"))?;
            let path = frames.join(format!("{id}.jpg"));
            tokio::fs::write(&path, bytes).await.with_context(|| format!("{}", path.display()))
        })
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await?;
    let path = out.join("document.json");
    std::fs::write(&path, serde_json::to_vec_pretty(document)?)
        .with_context(|| format!("{}", path.display()))?;
    Ok(Saved { document: path, frames })
}
