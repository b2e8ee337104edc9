//! Saves a document and its frames: `document.json` and `frames/`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use domain::document::SpaceDocument;
use futures::{StreamExt, TryStreamExt};

use super::api::Api;

/// Maximum number of concurrent downloads.
const MAX_DOWNLOADS: usize = 4;

/// Paths of the saved files.
#[derive(Debug)]
pub struct Saved {
    /// Path of the document.
    pub document: PathBuf,
    /// Folder of the frames.
    pub frames: PathBuf,
}

/// Writes the document and downloads every frame that it references.
///
/// # Errors
/// Returns an error if the API, the network or the disk fails.
pub async fn save(api: &Api, document: &SpaceDocument, out: &Path) -> anyhow::Result<Saved> {
    let frames = out.join("frames");
    std::fs::create_dir_all(&frames).with_context(|| format!("{}", frames.display()))?;
    futures::stream::iter(document.frames.iter().filter_map(|f| Some((&f.id, f.url.as_ref()?))))
        .map(async |(id, url)| {
            let bytes = api.fetch(url).await.with_context(|| format!("frame {id}"))?;
            let path = frames.join(format!("{id}.jpg"));
            tokio::fs::write(&path, bytes).await.with_context(|| format!("{}", path.display()))
        })
        .buffer_unordered(MAX_DOWNLOADS)
        .try_collect::<()>()
        .await?;
    let path = out.join("document.json");
    std::fs::write(&path, serde_json::to_vec_pretty(document)?)
        .with_context(|| format!("{}", path.display()))?;
    Ok(Saved { document: path, frames })
}
