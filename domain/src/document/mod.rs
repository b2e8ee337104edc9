//! The Space Document: what is known of a space, with evidence for every claim.
//!
//! Rules that hold for every document (tests check them with [`SpaceDocument::defects`]):
//! - every claim carries evidence that exists in the document;
//! - a room type is claimed only where a sign, words or an object support it;
//! - measurements are read, spoken or from a sensor, never guessed from pixels;
//! - ids derive from content, so the same input gives the same bytes; clocks and costs are not here.

mod claim;

use serde::{Deserialize, Serialize};

pub use claim::{BBox, Basis, Claim, Evidence};

/// The published version of this shape. Additive changes raise the minor part.
pub const SCHEMA_VERSION: &str = "1.0";

/// One medium of the scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Medium {
    /// `med_video`, or `med_photo_<ordinal>`.
    pub id: String,
    /// `video` or `photo`.
    pub kind: String,
    /// Which photo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// SHA-256 of the bytes, hex.
    pub sha256: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Width in pixels, as shown (after rotation).
    pub width: u32,
    /// Height in pixels, as shown.
    pub height: u32,
    /// Length in milliseconds, of a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Frames per second, of a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Whether it has sound.
    pub has_audio: bool,
}

/// A frame that was kept as evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Frame {
    /// `frm_<number in order, 5 digits>`.
    pub id: String,
    /// Its medium.
    pub media_id: String,
    /// When, in milliseconds, of a video (or of a photo whose time was given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_ms: Option<u64>,
    /// Which photo, starting at 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Width in pixels of the kept picture.
    pub width: u32,
    /// Height in pixels of the kept picture.
    pub height: u32,
    /// Variance of the Laplacian of the gray picture; higher is sharper.
    pub sharpness: f64,
    /// Mean luma, 0 (black) to 1 (white).
    pub exposure: f64,
    /// Perceptual hash, 16 hex digits.
    pub hash: String,
    /// Why it was kept: `first`, `new_view`, `sharper`, `interval`, `photo`.
    pub kept_because: String,
    /// The zone it shows, an id of `zones[]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// Storage key of the picture; when the document is read it becomes a signed `url`.
    pub key: String,
    /// Signed address of the picture, good for one hour; only in answers, never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A stretch of the media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Interval {
    /// Start: milliseconds of a video, or the first photo's ordinal.
    pub start: u64,
    /// End (exclusive for milliseconds, inclusive for ordinals).
    pub end: u64,
}

/// A part of the space that looks like one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Zone {
    /// `zon_<number in order of first visit>`.
    pub id: String,
    /// What to call it: its claimed type, or `Zone 2`.
    pub label: String,
    /// What kind of place it is; empty means unknown.
    pub types: Vec<Claim>,
    /// When it was visited; more than one interval means it was revisited.
    pub intervals: Vec<Interval>,
    /// The frame that shows it best.
    pub best_frame_id: String,
    /// Its frames, in order.
    pub frame_ids: Vec<String>,
    /// Light, colours and the like.
    pub attributes: Vec<Attribute>,
    /// Share of its time that usable frames cover, 0 to 1.
    pub coverage: f64,
}

/// A named property of a zone, as a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Attribute {
    /// For example `light` or `dominant_colours`.
    pub name: String,
    /// What is claimed.
    pub claim: Claim,
}

/// A way from one zone to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Opening {
    /// `opn_<number>`.
    pub id: String,
    /// The zone before.
    pub from_zone_id: String,
    /// The zone after.
    pub to_zone_id: String,
    /// That the walk went from the one to the other.
    pub claim: Claim,
}

/// How many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Count {
    /// Seen at once.
    pub min: u32,
    /// Most likely.
    pub best: u32,
    /// If no two sightings were of the same thing.
    pub max: u32,
}

/// A thing (or several alike) in a zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Object {
    /// `obj_<number>`.
    pub id: String,
    /// What it is, as a claim.
    pub category: Claim,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// How many.
    pub count: Count,
    /// In what condition, where that was said or read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Claim>,
    /// Where it was seen.
    pub sightings: Vec<Evidence>,
}

/// Words in the picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Text {
    /// `txt_<number>`.
    pub id: String,
    /// As it was read; `claim.value` is this too.
    pub raw: String,
    /// Lower case, white space folded, look-alikes unified; for comparing.
    pub normalized: String,
    /// `sign`, `number`, `contact`, `warning`, `other`.
    pub kind: String,
    /// The zone it was seen in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The reading, with every frame it was read in.
    pub claim: Claim,
}

/// Words that were said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Narration {
    /// `nar_<number>`.
    pub id: String,
    /// Start in milliseconds.
    pub start_ms: u64,
    /// End in milliseconds.
    pub end_ms: u64,
    /// What was said.
    pub text: String,
    /// `client` (from the request) or `transcribed`.
    pub source: String,
    /// 0 to 1.
    pub confidence: f64,
    /// The zone that was in view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The run that heard it.
    pub run_id: String,
}

/// How a measurement came about. There is no `estimated from pixels`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// From text in the picture.
    Read,
    /// From words that were said.
    Spoken,
    /// From a depth or motion sensor.
    Sensor,
    /// Given as an estimate by a source that says so.
    Estimated,
}

/// A size, an area, a temperature…
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Measurement {
    /// `mea_<number>`.
    pub id: String,
    /// The number.
    pub value: f64,
    /// Its unit, for example `m2`, `m`, `ft`.
    pub unit: String,
    /// Where it came from.
    pub method: Method,
    /// Of which zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<String>,
    /// The words it was taken from.
    pub claim: Claim,
}

/// That two things stand in some relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Relation {
    /// `rel_<number>`.
    pub id: String,
    /// `adjacent`, `contains`, `mentions`.
    pub kind: String,
    /// The one.
    pub from_id: String,
    /// The other.
    pub to_id: String,
    /// Why it is said.
    pub claim: Claim,
}

/// One sentence of the summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// The claims (or narration pieces) it rests on; never empty.
    pub claim_ids: Vec<String>,
}

/// A warning about what the document may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Warning {
    /// Stable code, for example `TEXT_NOT_LOOKED_AT`, `LANGUAGE_NOT_HEARD`, `DARK`, `BLURRED`.
    pub code: String,
    /// For people.
    pub message: String,
}

/// How good the media were, and what was not looked at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Quality {
    /// Share of sampled frames too blurred to use, 0 to 1.
    pub blurred: f64,
    /// Share of sampled frames too dark to use, 0 to 1.
    pub dark: f64,
    /// Stretches that no usable frame covers.
    pub uncovered: Vec<Interval>,
    /// What a reader should know.
    pub warnings: Vec<Warning>,
}

/// One run of a model or an algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Run {
    /// `run_<task>`.
    pub id: String,
    /// `frames`, `zones`, `text`, `speech`, `light`, `objects`, `summary`.
    pub task: String,
    /// `signal`, `packaged`, `endpoint` or `client`.
    pub provider: String,
    /// Model or algorithm.
    pub model: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its weights, hex, where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_sha256: Option<String>,
    /// What it was told.
    pub parameters: std::collections::BTreeMap<String, String>,
    /// What it can know, where that is a closed list (so that "not seen" is never "not there").
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub can_know: Vec<String>,
}

/// What is known of a space after one scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SpaceDocument {
    /// Version of this shape.
    pub schema_version: String,
    /// `video` or `frames`.
    pub kind: crate::media::InputKind,
    /// BCP 47 language that was declared.
    pub language: String,
    /// What it was made from.
    pub media: Vec<Medium>,
    /// Pictures kept as evidence.
    pub frames: Vec<Frame>,
    /// Parts of the space.
    pub zones: Vec<Zone>,
    /// Ways between them.
    pub openings: Vec<Opening>,
    /// Things.
    pub objects: Vec<Object>,
    /// Words in pictures.
    pub texts: Vec<Text>,
    /// Words that were said.
    pub narration: Vec<Narration>,
    /// Sizes and the like.
    pub measurements: Vec<Measurement>,
    /// What stands in relation to what.
    pub relations: Vec<Relation>,
    /// The space in a few sentences.
    pub summary: Vec<Sentence>,
    /// How good the media were.
    pub quality: Quality,
    /// What was run.
    pub runs: Vec<Run>,
}

impl SpaceDocument {
    /// Every claim of the document.
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
    }

    /// What breaks the rules of a document, in words; empty for a sound one.
    pub fn defects(&self) -> Vec<String> {
        use std::collections::BTreeSet;
        let ids = |it: Vec<&str>| it.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
        let media = ids(self.media.iter().map(|m| m.id.as_str()).collect());
        let frames = ids(self.frames.iter().map(|f| f.id.as_str()).collect());
        let zones = ids(self.zones.iter().map(|z| z.id.as_str()).collect());
        let narration = ids(self.narration.iter().map(|n| n.id.as_str()).collect());
        let runs = ids(self.runs.iter().map(|r| r.id.as_str()).collect());
        let mut defects = Vec::new();
        let mut claim_ids = narration.clone();
        for claim in self.claims() {
            if !claim_ids.insert(claim.id.clone()) {
                defects.push(format!("claim id {} is used twice", claim.id));
            }
            if claim.evidence.is_empty() {
                defects.push(format!("claim {} ({}) has no evidence", claim.id, claim.value));
            }
            if !runs.contains(&claim.run_id) {
                defects.push(format!("claim {} names run {}, which is not listed", claim.id, claim.run_id));
            }
            if !(0.0..=1.0).contains(&claim.confidence) {
                defects.push(format!("claim {} has confidence {}", claim.id, claim.confidence));
            }
        }
        let evidence =
            self.claims().flat_map(|c| &c.evidence).chain(self.objects.iter().flat_map(|o| &o.sightings));
        for e in evidence {
            if !media.contains(&e.media_id) {
                defects.push(format!("evidence names medium {}, which is not listed", e.media_id));
            }
            if e.frame_id.as_ref().is_some_and(|f| !frames.contains(f)) {
                defects.push(format!("evidence names frame {:?}, which is not listed", e.frame_id));
            }
            if e.narration_id.as_ref().is_some_and(|n| !narration.contains(n)) {
                defects.push(format!("evidence names narration {:?}, which is not listed", e.narration_id));
            }
            if e.frame_id.is_none() && e.narration_id.is_none() {
                defects.push("evidence names neither a frame nor narration".to_owned());
            }
        }
        for zone in &self.zones {
            for frame in zone.frame_ids.iter().chain(std::iter::once(&zone.best_frame_id)) {
                if !frames.contains(frame) {
                    defects.push(format!("zone {} names frame {frame}, which is not listed", zone.id));
                }
            }
        }
        let zone_refs = self
            .frames
            .iter()
            .filter_map(|f| f.zone_id.as_ref())
            .chain(self.objects.iter().filter_map(|o| o.zone_id.as_ref()))
            .chain(self.texts.iter().filter_map(|t| t.zone_id.as_ref()))
            .chain(self.narration.iter().filter_map(|n| n.zone_id.as_ref()));
        for zone in zone_refs {
            if !zones.contains(zone) {
                defects.push(format!("zone {zone} is named and not listed"));
            }
        }
        for sentence in &self.summary {
            if sentence.claim_ids.is_empty() {
                defects.push(format!("the summary says without a claim: {}", sentence.text));
            }
            for id in &sentence.claim_ids {
                if !claim_ids.contains(id) {
                    defects.push(format!("the summary cites {id}, which is not listed"));
                }
            }
        }
        defects
    }

    /// The bytes that are stored and hashed: JSON in field order, which is fixed by the types above.
    ///
    /// # Errors
    /// When a number is not finite, which no stage produces.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}
