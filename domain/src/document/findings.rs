//! Findings in a space: objects, texts, narration, measurements, relations and the summary.

use serde::{Deserialize, Serialize};

use super::{Claim, Evidence, NarrationSource, RelationKind, TextKind};

/// Number of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Count {
    /// Most objects seen in one frame.
    pub min: u32,
    /// Most likely number.
    pub best: u32,
    /// Number of objects if every sighting shows a different one.
    pub max: u32,
}

/// An object, or several objects of one category, in a zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SpaceObject)]
pub struct Object {
    /// `obj_<number>`.
    pub id: String,
    /// Category, as a claim.
    pub category: Claim,
    /// The zone it is in, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// Number of objects.
    pub count: Count,
    /// Condition, if it was spoken or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Claim>,
    /// Frames and boxes that show it.
    pub sightings: Vec<Evidence>,
}

/// Text in the picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Text {
    /// `txt_<number>`.
    pub id: String,
    /// The text as it was read, equal to `claim.value`.
    pub raw: String,
    /// The text for comparisons: lower case, whitespace folded, look-alike characters unified.
    pub normalized: String,
    /// `sign`, `number`, `contact`, `warning`, `credential` or `other`.
    #[schema(value_type = String)]
    pub kind: TextKind,
    /// The zone it was seen in, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The reading, with every frame it was read in.
    pub claim: Claim,
}

/// A spoken sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Narration {
    /// `nar_<number>`.
    pub id: String,
    /// Start in milliseconds.
    pub start_ms: u64,
    /// End in milliseconds.
    pub end_ms: u64,
    /// The sentence.
    pub text: String,
    /// `client` (from the request) or `transcribed`.
    #[schema(value_type = String)]
    pub source: NarrationSource,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// The zone that was in view, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The run that transcribed it, an id of `runs[]`.
    pub run_id: String,
}

impl Narration {
    /// Builds evidence from the sentence, in the medium `media_id`.
    pub fn evidence(&self, media_id: &str, score: f64) -> Evidence {
        Evidence {
            media_id: media_id.to_owned(),
            frame_id: None,
            t_ms: Some(self.start_ms),
            ordinal: None,
            bbox: None,
            narration_id: Some(self.id.clone()),
            score,
        }
    }
}

/// Method of a measurement. Measurements are never estimated from pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Read from text in the picture.
    Read,
    /// Spoken in the narration.
    Spoken,
    /// Measured by a depth or motion sensor.
    Sensor,
    /// Stated as an estimate by its source.
    Estimated,
}

/// A measurement, for example a length, an area or a temperature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Measurement {
    /// `mea_<number>`.
    pub id: String,
    /// The number.
    pub value: f64,
    /// Its unit, for example `m2`, `m` or `ft`.
    pub unit: String,
    /// Method of the measurement.
    pub method: Method,
    /// The measured zone, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The words that state it, as a claim.
    pub claim: Claim,
}

/// A relation between two parts of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Relation {
    /// `rel_<number>`.
    pub id: String,
    /// `adjacent`, `contains` or `mentions`.
    #[schema(value_type = String)]
    pub kind: RelationKind,
    /// Id of the first part.
    pub from_id: String,
    /// Id of the second part.
    pub to_id: String,
    /// The relation, as a claim.
    pub claim: Claim,
}

/// One sentence of the summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// Ids of the claims and narrations that support it; never empty.
    pub claim_ids: Vec<String>,
}
