//! The third stage: divides the space into zones and merges observations of the same sign or
//! object.

mod clusters;
mod counts;
mod cut;
mod evidence;
mod hints;
mod landmarks;
mod narration;
mod objects;
mod overlaps;
mod partial_readings;
pub mod passages;
mod persons;
mod photo_look;
mod place_signature;
mod places;
mod returns;
mod room_signs;
mod texts;
mod visits;
mod words;
mod zones;

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Evidence, Interval, NarrationSource, Run, Warning};
use domain::media::InputKind;
use serde::{Deserialize, Serialize};

use crate::ingest::Ingested;
use crate::models::endpoint::{Usage, summed};
use crate::observe::{FrameObservation, ObservedBatch, Transcript};
use crate::settings::Settings;
use crate::{CancelFlag, PerceptionError};
use overlaps::Overlaps;
use passages::Passage;

pub use words::{edit_distance, normalized};

/// Merged observations. The next stage adds ids and claims.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fused {
    /// Zones in order of first visit.
    pub zones: Vec<FusedZone>,
    /// The walk through the zones, in order.
    pub visits: Vec<Visit>,
    /// Changes of zone on the walk through a video, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
    /// Texts on signs.
    pub texts: Vec<FusedText>,
    /// Objects.
    #[serde(rename = "things")]
    pub objects: Vec<FusedObject>,
    /// Classes of furniture that models saw in a zone at least once, objects or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<FusedHint>,
    /// Frames that show persons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub persons: Vec<FusedPersons>,
    /// Spoken sentences.
    pub narration: Vec<FusedNarration>,
    /// Lightness and colours by frame id.
    pub lights: BTreeMap<String, FrameLight>,
    /// Runs of all stages so far.
    pub runs: Vec<Run>,
    /// Warnings of all stages so far.
    pub warnings: Vec<Warning>,
    /// Tokens and cost of endpoint requests, by run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// A part of the space that appears to be one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedZone {
    /// Intervals of the visits.
    pub intervals: Vec<Interval>,
    /// Frames of the zone in order; never empty.
    pub frame_ids: Vec<String>,
    /// Frame that shows the zone best.
    pub best_frame_id: String,
    /// Share of the zone's samples that are usable.
    pub coverage: f64,
}

/// One visit of a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// Number of the zone, starting at 0.
    pub zone: usize,
    /// Interval of the visit.
    pub interval: Interval,
    /// Frames that show the zone during the visit, in order. The first may be taken just before the
    /// zone is entered.
    pub frame_ids: Vec<String>,
}

impl Visit {
    /// Returns the number of milliseconds that an interval and this visit have in common.
    pub(crate) fn overlap_ms(&self, start_ms: u64, end_ms: u64) -> u64 {
        end_ms.min(self.interval.end).saturating_sub(start_ms.max(self.interval.start))
    }
}

/// A sign, merged from its readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedText {
    /// Text that most readings agree on.
    pub raw: String,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Number of the zone that the sign is in.
    pub zone: Option<usize>,
    /// Readings, best first.
    pub sightings: Vec<Evidence>,
    /// Id of the run with the best reading.
    pub run_id: String,
}

/// An object, or several similar objects in one zone, merged from detections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedObject {
    /// Class of the object.
    pub label: String,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Number of the zone that the object is in.
    pub zone: Option<usize>,
    /// Minimum count: objects that two frames show at the same time.
    pub min: u32,
    /// Most likely count.
    pub best: u32,
    /// Maximum count: objects that remain after following them through aligned frames, and objects
    /// that the detector may have missed, at most twice as many as one frame shows.
    pub max: u32,
    /// Sightings, best first.
    pub sightings: Vec<Evidence>,
    /// Id of the run with the best sighting.
    pub run_id: String,
}

/// A class of furniture that models saw in one zone. It is evidence for the type of the room, and
/// too uncertain for an object of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedHint {
    /// Class of the furniture.
    pub label: String,
    /// Number of the zone.
    pub zone: usize,
    /// Probability that it is there, 0 to 1.
    pub probability: f64,
    /// Best sighting of each frame, best first.
    pub sightings: Vec<Evidence>,
}

/// Sightings of persons in one zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedPersons {
    /// Number of the zone.
    pub zone: Option<usize>,
    /// Every sighting, in order of the frames.
    pub sightings: Vec<Evidence>,
    /// Id of the run with the first sighting.
    pub run_id: String,
}

/// A spoken sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedNarration {
    /// Start in milliseconds.
    pub start_ms: u64,
    /// End in milliseconds.
    pub end_ms: u64,
    /// The spoken words.
    pub text: String,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// `client` or `transcribed`.
    pub source: NarrationSource,
    /// Number of the zone that was in view.
    pub zone: Option<usize>,
    /// Id of the run that produced the transcript.
    pub run_id: String,
}

/// Lightness and colours of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameLight {
    /// Mean lightness, 0 to 1.
    pub mean: f64,
    /// Main colours by name, each with the share of the frame that it covers.
    pub colours: Vec<(String, f64)>,
}

/// Merges the results of the earlier stages. Pure; the effort is nearly linear in the length of the
/// media. Blocks.
///
/// # Errors
/// Returns [`PerceptionError::Cancelled`] if the flag is set.
pub fn fuse(
    ingested: &Ingested,
    observed: &[ObservedBatch],
    transcript: &Transcript,
    settings: &Settings,
    cancel: &CancelFlag,
) -> Result<Fused, PerceptionError> {
    let observations: BTreeMap<&str, &FrameObservation> =
        observed.iter().flat_map(|b| &b.frames).map(|s| (s.frame_id.as_str(), s)).collect();
    let overlaps = Overlaps::of(ingested, cancel)?;
    let (zones, visits, narration) =
        places(ingested, &observations, transcript, &overlaps, settings, cancel)?;
    let zone_of = zones::by_frame(&zones);
    let texts = texts::texts(ingested, &observations, &zone_of, &neighbours(&visits), cancel)?;
    cancel.check()?;
    let objects = objects::objects(ingested, &observations, &overlaps, &zone_of);
    let hints = hints::hints(ingested, &observations, &zone_of);
    let persons = persons::persons(ingested, &observations, &zone_of);
    let lights = observations
        .values()
        .map(|s| (s.frame_id.clone(), FrameLight { mean: s.light.mean, colours: s.colours.clone() }));
    let passages = passages::passages(&visits, &ingested.doorways);
    let mut runs = vec![ingested.run.clone(), zones::run(&settings.zones)];
    let mut warnings: Vec<Warning> = Vec::new();
    let others = observed.iter().flat_map(|b| &b.runs).chain(&transcript.runs);
    for run in others {
        if runs.iter().all(|known| known.id != run.id) {
            runs.push(run.clone());
        }
    }
    for warning in observed.iter().flat_map(|b| &b.warnings).chain(&transcript.warnings) {
        if warnings.iter().all(|known| known.code != warning.code) {
            warnings.push(warning.clone());
        }
    }
    let usage = summed(observed.iter().flat_map(|b| &b.usage).chain(&transcript.usage));
    Ok(Fused {
        lights: lights.collect(),
        zones,
        visits,
        passages,
        texts,
        objects,
        hints,
        persons,
        narration,
        runs,
        warnings,
        usage,
    })
}

/// Zones, the walk through them, and the narration with its zones.
type Places = (Vec<FusedZone>, Vec<Visit>, Vec<FusedNarration>);

/// Finds zones by appearance, then corrects them where the narration says that a room was visited
/// before.
fn places(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    transcript: &Transcript,
    overlaps: &Overlaps,
    settings: &Settings,
    cancel: &CancelFlag,
) -> Result<Places, PerceptionError> {
    let narrate = |visits: &[Visit]| narration::narration(&transcript.segments, visits, ingested);
    let (mut zones, mut visits) = zones::zones(ingested, observations, overlaps, &settings.zones, cancel)?;
    let mut narration = narrate(&visits);
    let same = returns::zones_joined_by_narration(&visits, &narration);
    if !same.is_empty() {
        (zones, visits) = visits::merge_zones(ingested, visits, &same);
        narration = narrate(&visits);
    }
    let taken = |id: &str| ingested.frames.iter().find(|frame| frame.id == id).and_then(|frame| frame.t_ms);
    // Visits among photos are counted in photos, so times cannot split them.
    let split = || returns::split_visits(&visits, &narration, &taken);
    if let Some(split) = (ingested.kind == InputKind::Video).then(split).flatten() {
        (zones, visits) = visits::merge_zones(ingested, split, &[]);
        narration = narrate(&visits);
    }
    Ok((zones, visits, narration))
}

/// Returns pairs of zones with a transition between them, the lower number first.
fn neighbours(visits: &[Visit]) -> BTreeSet<(usize, usize)> {
    let steps = visits.windows(2).map(|pair| (pair[0].zone, pair[1].zone));
    steps.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// Returns the run that observed the frame of the first sighting.
fn run_of(
    observations: &BTreeMap<&str, &FrameObservation>,
    sightings: &[Evidence],
    packaged: &str,
) -> String {
    let frame = sightings.first().and_then(|e| e.frame_id.as_deref());
    let by = frame.and_then(|id| observations.get(id)?.run_id.clone());
    by.unwrap_or_else(|| packaged.to_owned())
}

/// Returns a kept frame as evidence, or `None` for an unknown frame.
fn evidence(ingested: &Ingested, frame_id: &str, score: f64) -> Option<Evidence> {
    let frame = ingested.frames.iter().find(|f| f.id == frame_id)?;
    Some(frame.evidence(None, score))
}
