//! The third stage: zones by appearance, and sightings of one thing joined into that thing.

mod cut;
mod look;
mod narration;
mod pieces;
mod place;
mod plates;
mod returns;
mod stays;
mod texts;
mod things;
mod words;
mod zones;

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Evidence, Interval, NarrationSource, Run, Warning};
use domain::media::InputKind;
use serde::{Deserialize, Serialize};

use crate::ingest::Ingested;
use crate::models::endpoint::{Usage, summed};
use crate::observe::{ObservedBatch, Seen, Sounds};
use crate::settings::Settings;

pub use words::{edit_distance, normalized};

/// What was found, joined; ids and claims come with the next stage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fused {
    /// In order of first visit.
    pub zones: Vec<FusedZone>,
    /// The walk: numbers of zones in order, each with its stretch.
    pub visits: Vec<Visit>,
    /// Words in pictures.
    pub texts: Vec<FusedText>,
    /// Things.
    pub things: Vec<FusedThing>,
    /// What was said, by sentence.
    pub narration: Vec<FusedNarration>,
    /// Light and colours of each frame.
    pub lights: BTreeMap<String, FrameLight>,
    /// What was run.
    pub runs: Vec<Run>,
    /// What could not be looked at or listened to.
    pub warnings: Vec<Warning>,
    /// What models behind an address used, by run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// A part of the space that looks like one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedZone {
    /// When it was visited.
    pub intervals: Vec<Interval>,
    /// Its frames, in order; never empty.
    pub frame_ids: Vec<String>,
    /// The frame that shows it best.
    pub best_frame_id: String,
    /// Share of its samples that are usable.
    pub coverage: f64,
}

/// One stay in a zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// Number of the zone, from 0.
    pub zone: usize,
    /// When.
    pub interval: Interval,
    /// The frames that show it, in order; the first may be taken just before it is entered.
    pub frame_ids: Vec<String>,
}

impl Visit {
    /// How many milliseconds of a time fall into this stay.
    pub(crate) fn shares(&self, start_ms: u64, end_ms: u64) -> u64 {
        end_ms.min(self.interval.end).saturating_sub(start_ms.max(self.interval.start))
    }
}

/// Readings of one sign, joined and voted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedText {
    /// What most readings say.
    pub raw: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Number of the zone it was seen in.
    pub zone: Option<usize>,
    /// Where it was read, best first.
    pub sightings: Vec<Evidence>,
    /// The run that read it best.
    pub run_id: String,
}

/// Detections of one thing, or of several alike in one zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedThing {
    /// Its class.
    pub label: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Number of the zone it is in.
    pub zone: Option<usize>,
    /// Seen at once.
    pub min: u32,
    /// Most likely.
    pub best: u32,
    /// If no two sightings were of the same thing.
    pub max: u32,
    /// Where it was seen, best first.
    pub sightings: Vec<Evidence>,
    /// The run that saw it best.
    pub run_id: String,
}

/// A sentence that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FusedNarration {
    /// Start in milliseconds.
    pub start_ms: u64,
    /// End in milliseconds.
    pub end_ms: u64,
    /// What was said.
    pub text: String,
    /// 0 to 1.
    pub confidence: f64,
    /// `client` or `transcribed`.
    pub source: NarrationSource,
    /// Number of the zone that was in view.
    pub zone: Option<usize>,
    /// The run that heard it.
    pub run_id: String,
}

/// Light and colours of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameLight {
    /// Mean lightness, 0 to 1.
    pub mean: f64,
    /// Main colours by name, with the share each covers.
    pub colours: Vec<(String, f64)>,
}

/// Joins what the earlier stages found. Pure and quick.
pub fn fuse(ingested: &Ingested, observed: &[ObservedBatch], sounds: &Sounds, settings: &Settings) -> Fused {
    let seen: BTreeMap<&str, &Seen> =
        observed.iter().flat_map(|b| &b.frames).map(|s| (s.frame_id.as_str(), s)).collect();
    let (zones, visits, narration) = places(ingested, &seen, sounds, settings);
    let zone_of = zones::by_frame(&zones);
    let texts = texts::texts(ingested, &seen, &zone_of, &neighbours(&visits));
    let things = things::things(ingested, &seen, &zone_of);
    let lights = seen
        .values()
        .map(|s| (s.frame_id.clone(), FrameLight { mean: s.light.mean, colours: s.colours.clone() }));
    let mut runs = vec![ingested.run.clone(), zones::run(&settings.zones)];
    let mut warnings: Vec<Warning> = Vec::new();
    let others = observed.iter().flat_map(|b| &b.runs).chain(&sounds.runs);
    for run in others {
        if runs.iter().all(|known| known.id != run.id) {
            runs.push(run.clone());
        }
    }
    for warning in observed.iter().flat_map(|b| &b.warnings).chain(&sounds.warnings) {
        if warnings.iter().all(|known| known.code != warning.code) {
            warnings.push(warning.clone());
        }
    }
    let usage = summed(observed.iter().flat_map(|b| &b.usage).chain(&sounds.usage));
    Fused { lights: lights.collect(), zones, visits, texts, things, narration, runs, warnings, usage }
}

/// Zones by their looks, and by words where they say that a place was shown before.
fn places(
    ingested: &Ingested,
    seen: &BTreeMap<&str, &Seen>,
    sounds: &Sounds,
    settings: &Settings,
) -> (Vec<FusedZone>, Vec<Visit>, Vec<FusedNarration>) {
    let heard = |visits: &[Visit]| narration::narration(&sounds.pieces, visits, ingested);
    let (mut zones, mut visits) = zones::zones(ingested, seen, &settings.zones);
    let mut narration = heard(&visits);
    let same = returns::said(&visits, &narration);
    if !same.is_empty() {
        (zones, visits) = stays::joined(ingested, visits, &same);
        narration = heard(&visits);
    }
    let taken = |id: &str| ingested.frames.iter().find(|frame| frame.id == id).and_then(|frame| frame.t_ms);
    // Stays among photos are counted in photos.
    let parted = || returns::parted(&visits, &narration, &taken);
    if let Some(parted) = (ingested.kind == InputKind::Video).then(parted).flatten() {
        (zones, visits) = stays::joined(ingested, parted, &[]);
        narration = heard(&visits);
    }
    (zones, visits, narration)
}

/// Zones that were walked between, the lower number first.
fn neighbours(visits: &[Visit]) -> BTreeSet<(usize, usize)> {
    let steps = visits.windows(2).map(|pair| (pair[0].zone, pair[1].zone));
    steps.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// The run that saw what is in the frame of the first sighting.
fn run_of(seen: &BTreeMap<&str, &Seen>, sightings: &[Evidence], packaged: &str) -> String {
    let frame = sightings.first().and_then(|e| e.frame_id.as_deref());
    let by = frame.and_then(|id| seen.get(id)?.seen_by.clone());
    by.unwrap_or_else(|| packaged.to_owned())
}

/// The evidence that a kept frame is; `None` for a frame that is not listed.
fn evidence(ingested: &Ingested, frame_id: &str, score: f64) -> Option<Evidence> {
    let frame = ingested.frames.iter().find(|f| f.id == frame_id)?;
    Some(frame.evidence(None, score))
}
