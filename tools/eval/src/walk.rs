//! Reads a sample walk.

use std::{fs, path::Path};

use anyhow::Context;
use walkgen::truth::Truth;

use super::media::Media;

/// A sample walk with its ground truth.
pub(super) struct Walk {
    pub(super) media: Media,
    pub(super) truth: Truth,
}

impl Walk {
    pub(super) fn open(folder: &Path) -> anyhow::Result<Walk> {
        let truth = fs::read(folder.join("truth.json")).context("truth.json")?;
        let truth: Truth = serde_json::from_slice(&truth)?;
        Ok(Walk { media: Media::new(folder, truth.kind == "frames"), truth })
    }
}
