//! Evidence with signed addresses of its pictures, for answers that cite it.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    document::{Evidence, SpaceDocument},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{App, routes::space_documents};

/// Evidence, and where its picture can be seen.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShownEvidence {
    /// Where in the document a claim can be checked.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// Signed address of the picture, good for one hour; none of what was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The addresses of the pictures of one document.
pub(crate) struct Addresses<'a> {
    app: &'a App,
    keys: BTreeMap<&'a str, &'a str>,
    now: Timestamp,
}

impl<'a> Addresses<'a> {
    pub(crate) fn of(app: &'a App, document: &'a SpaceDocument) -> Self {
        let keys = document.frames.iter().map(|frame| (frame.id.as_str(), frame.key.as_str())).collect();
        Self { app, keys, now: Timestamp::now() }
    }

    /// The evidence, shown.
    pub(crate) fn shown(&self, evidence: Vec<Evidence>) -> Vec<ShownEvidence> {
        let url = |evidence: &Evidence| {
            let key = self.keys.get(evidence.frame_id.as_deref()?)?;
            Some(space_documents::signed_url(self.app, key, self.now))
        };
        evidence.into_iter().map(|evidence| ShownEvidence { url: url(&evidence), evidence }).collect()
    }
}
