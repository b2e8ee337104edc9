//! Arguments of the tools. Their doc comments are the descriptions that agents read.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::document::Part;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListSpaces {
    /// Only spaces of exactly this type, for example `apartment`.
    pub(crate) space_type: Option<String>,
    /// Only spaces with exactly this reference of their owner.
    pub(crate) external_id: Option<String>,
    /// `next_cursor` of the previous response.
    pub(crate) cursor: Option<String>,
    /// Number of items to skip, counted from the cursor.
    #[serde(default)]
    pub(crate) offset: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchSpaces {
    /// Words, for example `meeting room with a whiteboard`.
    pub(crate) query: String,
    /// Only spaces of exactly this type.
    pub(crate) space_type: Option<String>,
    /// `next_cursor` of the previous response.
    pub(crate) cursor: Option<String>,
    /// Number of items to skip, counted from the cursor.
    #[serde(default)]
    pub(crate) offset: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadSpace {
    /// Id of the space (`spc_…`).
    pub(crate) space_id: String,
    /// Part of the document; the summary if omitted.
    #[serde(default)]
    pub(crate) part: Part,
    /// Only items in this zone (`zon_…`).
    pub(crate) zone_id: Option<String>,
    /// Number of items to skip.
    #[serde(default)]
    pub(crate) offset: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ShowFrame {
    /// Id of the space (`spc_…`).
    pub(crate) space_id: String,
    /// Id of the frame (`frm_…`), from another tool.
    pub(crate) frame_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AskSpace {
    /// Id of the space (`spc_…`).
    pub(crate) space_id: String,
    /// The question.
    pub(crate) question: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CompareScans {
    /// Id of the space (`spc_…`).
    pub(crate) space_id: String,
    /// Id of the earlier scan (`scn_…`); the last but one if omitted.
    pub(crate) from: Option<String>,
    /// Id of the later scan; the last one if omitted.
    pub(crate) to: Option<String>,
    /// Number of changes to skip.
    #[serde(default)]
    pub(crate) offset: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FollowScan {
    /// Id of the scan (`scn_…`).
    pub(crate) scan_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ScanFiles {
    /// Paths on this machine: one video, photos in order, or one folder of photos.
    pub(crate) paths: Vec<PathBuf>,
    /// Space to scan again (`spc_…`); a new space if omitted.
    pub(crate) space_id: Option<String>,
    /// Name of the new space.
    pub(crate) name: Option<String>,
    /// Type of the new space, for example `apartment`.
    pub(crate) space_type: Option<String>,
}
