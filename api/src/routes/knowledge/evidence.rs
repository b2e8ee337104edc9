//! Evidence with signed URLs of its frames.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    document::{Evidence, SpaceDocument},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{App, routes::space_documents};

/// Evidence, with a signed URL of its frame.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ShownEvidence)]
pub struct EvidenceWithUrl {
    /// The evidence in the document.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// Signed URL of the frame, valid for one hour; omitted for speech.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Signs the URLs of the frames of one document.
pub(crate) struct FrameUrls<'a> {
    app: &'a App,
    keys: BTreeMap<&'a str, &'a str>,
    now: Timestamp,
}

impl<'a> FrameUrls<'a> {
    pub(crate) fn new(app: &'a App, document: &'a SpaceDocument) -> Self {
        let keys = document.frames.iter().map(|frame| (frame.id.as_str(), frame.key.as_str())).collect();
        Self { app, keys, now: Timestamp::now() }
    }

    /// Adds the URLs to evidence.
    pub(crate) fn sign(&self, evidence: Vec<Evidence>) -> Vec<EvidenceWithUrl> {
        let url = |evidence: &Evidence| {
            let key = self.keys.get(evidence.frame_id.as_deref()?)?;
            Some(space_documents::signed_url(self.app, key, self.now))
        };
        evidence.into_iter().map(|evidence| EvidenceWithUrl { url: url(&evidence), evidence }).collect()
    }
}
