//! The Space Document: the facts about a space, with evidence for every claim.
//!
//! Rules that hold for every document ([`SpaceDocument::defects`] checks the references):
//! - Every claim carries evidence that exists in the document.
//! - A room type is claimed only if a sign, speech or an object supports it.
//! - Measurements are read, spoken or from a sensor, never estimated from pixels.
//! - Ids derive from content, and the document holds no processing times or costs. The same input
//!   therefore gives the same bytes.

mod boards;
mod claim;
mod corrections;
mod defects;
mod facts;
mod findings;
mod media;
mod names;
mod quality;
mod redaction;
mod run;
mod zone;

use serde::{Deserialize, Serialize};

pub use boards::{Board, BoardCell, BoardRow};
pub use claim::{BBox, Basis, Claim, Evidence};
pub use corrections::{AppliedCorrection, CorrectedField, Correction, MAX_CORRECTED_CHARS, NewCorrection};
pub use facts::{Fact, PrivacyFlag};
pub use findings::{Count, Measurement, Method, Narration, Object, Relation, Sentence, Text};
pub use media::{Frame, Interval, Medium};
pub use names::{
    AttributeName, FactKind, KeptBecause, MediumKind, NarrationSource, PrivacyKind, Provider, RelationKind,
    Task, TextKind,
};
pub use quality::{Quality, Warning};
pub use redaction::Hidden;
pub use run::Run;
pub use zone::{Attribute, Opening, Zone};

/// Version of the published schema. Additive changes raise the minor part.
pub const SCHEMA_VERSION: &str = "1.1";

/// Name of [`Object`] in schemas: `utoipa` reads `Object` as a JSON object of any shape.
type SpaceObject = Object;

/// The facts about a space after one scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SpaceDocument {
    /// Version of the schema.
    pub schema_version: String,
    /// `video` or `frames`.
    pub kind: crate::media::InputKind,
    /// Declared language, as a BCP 47 tag.
    pub language: String,
    /// Media of the scan.
    pub media: Vec<Medium>,
    /// Frames that are kept as evidence.
    pub frames: Vec<Frame>,
    /// Areas of the space, usually rooms.
    pub zones: Vec<Zone>,
    /// Passages between zones.
    pub openings: Vec<Opening>,
    /// Objects in the space.
    #[schema(value_type = Vec<SpaceObject>)]
    pub objects: Vec<Object>,
    /// Texts in the pictures.
    pub texts: Vec<Text>,
    /// Spoken sentences.
    pub narration: Vec<Narration>,
    /// Measurements that were read or spoken.
    pub measurements: Vec<Measurement>,
    /// Lines of text that belong together. Since 1.1.
    #[serde(default)]
    pub boards: Vec<Board>,
    /// Prices, dates, hours, contacts, inclusions and other statements in texts and narration. Since
    /// 1.1.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// Frames and texts to handle with care. Since 1.1.
    #[serde(default)]
    pub privacy: Vec<PrivacyFlag>,
    /// Relations between parts of the document.
    pub relations: Vec<Relation>,
    /// Summary of the space, in a few sentences.
    pub summary: Vec<Sentence>,
    /// Corrections by the owner that this document contains. Only in responses; the stored document
    /// stays as the scan wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<AppliedCorrection>,
    /// Quality of the media.
    pub quality: Quality,
    /// Runs of models and algorithms.
    pub runs: Vec<Run>,
}

impl SpaceDocument {
    /// Returns every claim of the document.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        let zones =
            self.zones.iter().flat_map(|z| z.types.iter().chain(z.attributes.iter().map(|a| &a.claim)));
        let objects =
            self.objects.iter().flat_map(|o| std::iter::once(&o.category).chain(o.condition.as_ref()));
        zones
            .chain(self.openings.iter().map(|o| &o.claim))
            .chain(objects)
            .chain(self.texts.iter().map(|t| &t.claim))
            .chain(self.measurements.iter().map(|m| &m.claim))
            .chain(self.relations.iter().map(|r| &r.claim))
            .chain(self.boards.iter().map(|b| &b.claim))
            .chain(self.facts.iter().map(|f| &f.claim))
            .chain(self.privacy.iter().map(|p| &p.claim))
    }

    /// Serializes the document as JSON in field order. These bytes are stored and hashed.
    ///
    /// # Errors
    /// Returns an error if serialization fails.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}
