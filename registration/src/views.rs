//! The views of a scan: what its kept frames show, as stored beside its document.

use std::io::{Read, Write};

use domain::document::BBox;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};

use crate::Features;

/// Version of the stored form. Another version is not read.
const VERSION: u32 = 1;
/// Maximum size of the views after decompression, in bytes. 600 frames with 320 features have 15 MB.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// The views of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WalkViews {
    version: u32,
    /// The kept frames, in order.
    pub views: Vec<FrameView>,
}

/// What one kept frame shows: everything that models found in it, also what the document leaves out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameView {
    /// Id of the frame.
    pub frame_id: String,
    /// Run that observed the frame; absent for the packaged models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Corners with descriptors.
    pub features: Features,
    /// Objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<SeenObject>,
    /// Lines of text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<SeenText>,
}

/// An object in one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeenObject {
    /// Class of the object.
    pub label: String,
    /// Score of the detector, 0 to 1.
    pub score: f64,
    /// Its box.
    pub bbox: BBox,
}

/// A line of text in one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeenText {
    /// The reading.
    pub text: String,
    /// Its box.
    pub bbox: BBox,
}

/// Stored views that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ViewsError {
    /// The bytes are not compressed JSON of views.
    #[error("the stored views are damaged: {0}")]
    Damaged(#[from] std::io::Error),
    /// Another version of the program wrote them.
    #[error("the stored views have version {0}")]
    Version(u32),
}

impl WalkViews {
    /// Builds the views of a scan.
    pub fn new(views: Vec<FrameView>) -> WalkViews {
        WalkViews { version: VERSION, views }
    }

    /// Encodes the views as JSON, compressed with gzip. The same views give the same bytes.
    ///
    /// # Errors
    /// Returns an error if serialization fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ViewsError> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let json = serde_json::to_vec(self).map_err(std::io::Error::from)?;
        encoder.write_all(&json)?;
        Ok(encoder.finish()?)
    }

    /// Decodes stored views.
    ///
    /// # Errors
    /// Returns an error if the bytes are damaged, too large or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<WalkViews, ViewsError> {
        let mut json = Vec::new();
        GzDecoder::new(bytes).take(MAX_BYTES).read_to_end(&mut json)?;
        let views: WalkViews = serde_json::from_slice(&json).map_err(std::io::Error::from)?;
        if views.version == VERSION { Ok(views) } else { Err(ViewsError::Version(views.version)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_survive_storage_and_damaged_ones_are_refused() {
        let bbox = BBox { x: 0.1, y: 0.2, w: 0.3, h: 0.4 };
        let views = WalkViews::new(vec![FrameView {
            frame_id: "frm_00001".to_owned(),
            run_id: None,
            features: Features { width: 320, height: 180, list: Vec::new() },
            objects: vec![SeenObject { label: "chair".to_owned(), score: 0.5, bbox }],
            texts: vec![SeenText { text: "EXIT".to_owned(), bbox }],
        }]);
        let bytes = views.to_bytes().unwrap();
        assert_eq!(WalkViews::from_bytes(&bytes).unwrap(), views);
        assert_eq!(views.to_bytes().unwrap(), bytes);
        assert!(matches!(WalkViews::from_bytes(&bytes[..20]), Err(ViewsError::Damaged(_))));
        let newer = WalkViews { version: 2, ..views }.to_bytes().unwrap();
        assert!(matches!(WalkViews::from_bytes(&newer), Err(ViewsError::Version(2))));
    }
}
