//! Divides the space into zones.
//!
//! The walk is cut into stretches, rather too many: at doorways, and where the appearance changes.
//! Signed evidence (log-odds) then tells which stretches are one place, and the number of zones
//! follows from it ([`cluster`]):
//!
//! - shared image features that fit one alignment, one view kept for both, or a rare text read from a
//!   similar distance: for one place;
//! - a doorway between two stretches, or signs that name two rooms: against;
//! - the appearance, as a weak cue: compared with the contrast that this space has at all, because
//!   white rooms look alike. It joins only neighbours. A missing match proves nothing.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Provider, Run, Task};
use domain::media::InputKind;

use super::clusters::cluster;
use super::cut::cut;
use super::landmarks::Landmarks;
use super::overlaps::{self, Overlaps};
use super::place_signature::{FrameDescriptors, PlaceSignature};
use super::places::Stretch;
use super::room_signs::{RoomSigns, name_different_rooms};
use super::visits::assemble;
use super::{FusedZone, Visit};
use crate::ingest::Ingested;
use crate::observe::FrameObservation;
use crate::settings::ZoneSettings;

/// Longest glance (a short look at another side of the same place), in milliseconds.
const MAX_GLANCE_MS: u64 = 4500;
/// Maximum difference between the places before and after a glance, as a share of `same_zone`, for
/// both to be one place.
const GLANCE_MAX_DIFFERENCE_SHARE: f64 = 0.5;
/// Minimum distance, in stretches of a video, between two visits of one place. Frames of adjacent
/// stretches show the other place through doors.
const MIN_STRETCHES_BETWEEN_VISITS: usize = 2;
/// Log-odds of an appearance without any difference; it falls linearly to 0 at `same_zone`.
const LOOK_WEIGHT: f64 = 3.0;
/// Range of the log-odds of the appearance of neighbours in a video.
const NEIGHBOUR_LOOK: (f64, f64) = (-4.0, 2.0);
/// Range of the log-odds of the appearance of two visits: an alike room is hardly evidence.
const RETURN_LOOK: (f64, f64) = (-4.0, 0.5);
/// Log-odds of two stretches of a video that don't follow each other being one place, before any
/// evidence.
const RETURN_PRIOR: f64 = -1.0;
/// Most log-odds that shared features give to neighbours of a video, which see each other through
/// the door.
const MAX_NEIGHBOUR_PROOF: f64 = 1.5;
/// Log-odds against one place on both sides of any doorway, besides its weight.
const DOORWAY: f64 = 1.0;
/// Log-odds of signs that name two rooms.
const NAMES_CLASH: f64 = -4.0;
/// Log-odds of a view that was kept once because both stretches show it.
const SAME_VIEW: f64 = 2.5;
/// Log-odds of two photos being of one room, before any evidence: consecutive ones and others.
const PHOTO_PRIOR: (f64, f64) = (-0.2, -1.5);
/// Log-odds of the appearance of the most similar pair of photos; it falls linearly to 0 at
/// [`PHOTO_RANK`].
const PHOTO_LOOK_WEIGHT: f64 = 1.5;
/// Share of the pairs of photos that are more similar than a pair that may be one room or two.
const PHOTO_RANK: f64 = 0.2;
/// Range of the log-odds of the appearance of photos.
const PHOTO_LOOK: (f64, f64) = (-3.0, 1.2);
/// Maximum number of samples whose differences tell the contrast of a space.
const MAX_CONTRAST_SAMPLES: usize = 40;
/// Distance of samples that three quarters of all pairs don't exceed, in a space of usual contrast.
const USUAL_CONTRAST: f64 = 0.35;
/// Least contrast that is assumed, as a share of the usual one.
const MIN_CONTRAST: f64 = 0.3;

/// Returns the zones in order of first visit, and the walk through them.
pub(super) fn zones(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    overlaps: &Overlaps,
    settings: &ZoneSettings,
) -> (Vec<FusedZone>, Vec<Visit>) {
    let (descriptors, room_signs) =
        (FrameDescriptors::of(observations), RoomSigns::of(ingested, observations));
    let cuts = cut(ingested, &descriptors, settings);
    let stretches: Vec<Stretch> =
        cuts.into_iter().filter_map(|cut| Stretch::of(ingested, &descriptors, &room_signs, cut)).collect();
    let proof = proof(ingested, observations, overlaps, &stretches, settings);
    let contrast = contrast(ingested, &descriptors);
    let distances = match ingested.kind {
        InputKind::Frames => Distances::between(&stretches),
        InputKind::Video => Distances::default(),
    };
    let evidence = Evidence {
        kind: ingested.kind,
        stretches: &stretches,
        proof,
        contrast,
        distances,
        same_zone: settings.same_zone,
    };
    let mut groups = cluster(stretches.len(), |a, b| evidence.log_odds(a, b));
    merge_glances(ingested, &stretches, &mut groups, settings.same_zone * contrast);
    assign_frameless_groups(&stretches, &mut groups);
    assemble(ingested, &stretches, &groups)
}

/// Returns the zone of each frame.
pub(super) fn by_frame(zones: &[FusedZone]) -> BTreeMap<String, usize> {
    let each = |(number, zone): (usize, &FusedZone)| {
        zone.frame_ids.iter().map(|id| (id.clone(), number)).collect::<Vec<_>>()
    };
    zones.iter().enumerate().flat_map(each).collect()
}

/// What tells stretches apart or joins them.
struct Evidence<'a> {
    kind: InputKind,
    stretches: &'a [Stretch],
    /// Log-odds of each pair of stretches being one place, given the contents of both.
    proof: Vec<Vec<f64>>,
    /// Contrast of the space, as a share of the usual one.
    contrast: f64,
    /// Distances of photos.
    distances: Distances,
    same_zone: f64,
}

impl Evidence<'_> {
    /// Returns the log-odds that two groups of stretches are one place.
    fn log_odds(&self, a: &[usize], b: &[usize]) -> f64 {
        let pairs = || a.iter().flat_map(move |one| b.iter().map(move |two| (*one, *two)));
        let adjoining = pairs().any(|(one, two)| one.abs_diff(two) == 1);
        let proof = pairs().map(|(one, two)| self.proof[one][two]).fold(0.0, f64::max);
        let clash = if self.names_clash(a, b) { NAMES_CLASH } else { 0.0 };
        let difference = || self.difference(a, b);
        clash
            + match (self.kind, adjoining) {
                (InputKind::Frames, _) => {
                    self.photo_look(a, b) + if adjoining { PHOTO_PRIOR.0 } else { PHOTO_PRIOR.1 } + proof
                }
                (InputKind::Video, true) => {
                    look(difference(), self.same_zone * self.contrast, NEIGHBOUR_LOOK)
                        + proof.min(MAX_NEIGHBOUR_PROOF)
                        - self.doorway(a, b)
                }
                (InputKind::Video, false) => {
                    look(difference(), 2.0 * self.same_zone, RETURN_LOOK) + RETURN_PRIOR + proof
                }
            }
    }

    fn names_clash(&self, a: &[usize], b: &[usize]) -> bool {
        let names = |group: &[usize]| -> BTreeSet<String> {
            group.iter().flat_map(|at| self.stretches[*at].room_signs.iter().cloned()).collect()
        };
        name_different_rooms(&names(a), &names(b))
    }

    fn difference(&self, a: &[usize], b: &[usize]) -> f64 {
        let mean =
            |group: &[usize]| PlaceSignature::mean(group.iter().map(|at| &self.stretches[*at].signature));
        match (mean(a), mean(b)) {
            (Some(a), Some(b)) => a.difference(&b),
            _ => f64::INFINITY,
        }
    }

    /// Returns the log-odds against one place on both sides of the doorways between two groups.
    fn doorway(&self, a: &[usize], b: &[usize]) -> f64 {
        let pairs = a.iter().flat_map(move |one| b.iter().map(move |two| (*one, *two)));
        let between = pairs.filter(|(one, two)| one.abs_diff(*two) == 1);
        let weight = between.map(|(one, two)| self.stretches[one.max(two)].doorway).fold(0.0, f64::max);
        if weight > 0.0 { DOORWAY + weight } else { 0.0 }
    }

    /// Returns the log-odds of the appearance of two groups of photos. A pair counts as similar if
    /// few pairs of this space are more similar, and if it differs little.
    fn photo_look(&self, a: &[usize], b: &[usize]) -> f64 {
        let pairs = || a.iter().flat_map(move |one| b.iter().map(move |two| (*one, *two)));
        let count = (a.len() * b.len()).max(1) as f64;
        let rank = pairs().map(|(one, two)| self.distances.rank(one, two)).sum::<f64>() / count;
        let ranked = (PHOTO_LOOK_WEIGHT * (1.0 - rank / PHOTO_RANK)).clamp(PHOTO_LOOK.0, PHOTO_LOOK.1);
        self.contrast * ranked.min(look(self.difference(a, b), self.same_zone, PHOTO_LOOK))
    }
}

/// Returns the log-odds of a difference in appearance that is as likely in one place as in two at
/// `even`.
fn look(difference: f64, even: f64, (least, most): (f64, f64)) -> f64 {
    (LOOK_WEIGHT * (1.0 - difference / even)).clamp(least, most)
}

/// Distances of all pairs of photos.
#[derive(Default)]
struct Distances {
    between: Vec<Vec<f64>>,
    sorted: Vec<f64>,
}

impl Distances {
    fn between(stretches: &[Stretch]) -> Distances {
        let distance = |a: &Stretch, b: &Stretch| a.signature.distance(&b.signature);
        let between: Vec<Vec<f64>> =
            stretches.iter().map(|a| stretches.iter().map(|b| distance(a, b)).collect()).collect();
        let pairs = between.iter().enumerate().flat_map(|(a, row)| row[..a].iter().copied());
        let mut sorted: Vec<f64> = pairs.collect();
        sorted.sort_by(f64::total_cmp);
        Distances { between, sorted }
    }

    /// Returns the share of all pairs that are closer than this one.
    fn rank(&self, a: usize, b: usize) -> f64 {
        let distance = self.between[a][b];
        let closer = self.sorted.partition_point(|other| *other < distance);
        closer as f64 / self.sorted.len().max(1) as f64
    }
}

/// Returns the contrast of a space as a share of the usual one: how much its pictures differ.
fn contrast(ingested: &Ingested, descriptors: &FrameDescriptors<'_>) -> f64 {
    let usable: Vec<&crate::ingest::Sample> = ingested.samples.iter().filter(|s| s.usable).collect();
    let count = usable.len().min(MAX_CONTRAST_SAMPLES);
    let chosen = (0..count).map(|i| usable[i * usable.len() / count]);
    let signatures: Vec<PlaceSignature> =
        chosen.filter_map(|sample| descriptors.mean_signature(std::iter::once(sample))).collect();
    let pairs =
        signatures.iter().enumerate().flat_map(|(i, a)| signatures[..i].iter().map(move |b| a.distance(b)));
    let mut distances: Vec<f64> = pairs.collect();
    distances.sort_by(f64::total_cmp);
    let upper = distances.get(distances.len() * 3 / 4).copied().unwrap_or(USUAL_CONTRAST);
    (upper / USUAL_CONTRAST).clamp(MIN_CONTRAST, 1.0)
}

/// Returns for each pair of stretches the log-odds of being one place, given the contents of both.
fn proof(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    overlaps: &Overlaps,
    stretches: &[Stretch],
    settings: &ZoneSettings,
) -> Vec<Vec<f64>> {
    let count = stretches.len();
    let mut proof = vec![vec![0.0_f64; count]; count];
    let far = match ingested.kind {
        InputKind::Video => MIN_STRETCHES_BETWEEN_VISITS,
        InputKind::Frames => 1,
    };
    let mut add = |a: usize, b: usize, log_odds: f64| {
        if a.abs_diff(b) >= far {
            proof[a][b] = proof[a][b].max(log_odds);
            proof[b][a] = proof[a][b];
        }
    };
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, stretch) in stretches.iter().enumerate() {
        owners.extend(stretch.frames.iter().map(|frame| (frame.as_str(), at)));
    }
    let of_frame: Vec<Option<usize>> =
        ingested.frames.iter().map(|frame| owners.get(frame.id.as_str()).copied()).collect();
    let chance = settings.place_matches.saturating_sub(1);
    for ((a, b), alignment) in overlaps.pairs() {
        if let (Some(a), Some(b)) = (of_frame[a], of_frame[b]) {
            add(a, b, overlaps::same_place(alignment, chance));
        }
    }
    for (at, stretch) in stretches.iter().enumerate() {
        let shown = stretch.shown.iter().filter_map(|frame| owners.get(frame.as_str()));
        shown.for_each(|owner| add(at, *owner, SAME_VIEW));
    }
    if ingested.kind == InputKind::Frames {
        let landmarks = Landmarks::of(&ingested.frames, observations);
        for (a, one) in of_frame.iter().enumerate() {
            for (b, two) in of_frame[..a].iter().enumerate() {
                if let (Some(one), Some(two)) = (one, two) {
                    add(*one, *two, landmarks.same_place(a, b));
                }
            }
        }
    }
    proof
}

/// Merges glances. A glance is a short stretch between two visits of one place that occurs nowhere
/// else. It shows another side of that place, because a visit of another room takes longer. The
/// stretches before and after count as one place if they are very similar.
fn merge_glances(ingested: &Ingested, stretches: &[Stretch], group: &mut [usize], same_zone: f64) {
    if ingested.kind != InputKind::Video {
        return;
    }
    let time = |at: usize| ingested.samples.get(at).and_then(|s| s.t_ms).unwrap_or_default();
    for i in 1..stretches.len().saturating_sub(1) {
        let (before, own, after) = (group[i - 1], group[i], group[i + 1]);
        let alone = group.iter().filter(|g| **g == own).count() == 1;
        let samples = &stretches[i].samples;
        let length = time(samples.end).saturating_sub(time(samples.start));
        let another = name_different_rooms(&stretches[i].room_signs, &stretches[i - 1].room_signs);
        let passed = stretches[i].doorway > 0.0 || stretches[i + 1].doorway > 0.0;
        if [before, after].contains(&own) || !alone || another || passed || length >= MAX_GLANCE_MS {
            continue;
        }
        let (earlier, later) = (&stretches[i - 1].signature, &stretches[i + 1].signature);
        if before == after || earlier.difference(later) < GLANCE_MAX_DIFFERENCE_SHARE * same_zone {
            group.iter_mut().filter(|g| [own, after].contains(*g)).for_each(|g| *g = before);
        }
    }
}

/// Adds a group without a frame to the group whose frame shows it, or to the most similar
/// neighbour.
fn assign_frameless_groups(stretches: &[Stretch], group: &mut [usize]) {
    let owner = |frame: &String, group: &[usize]| {
        stretches.iter().zip(group).find(|(s, _)| s.frames.contains(frame)).map(|(_, g)| *g)
    };
    for i in 0..stretches.len() {
        let own = group[i];
        let has_frame = stretches.iter().zip(group.iter()).any(|(s, g)| *g == own && !s.frames.is_empty());
        if has_frame {
            continue;
        }
        let shown = stretches[i].shown.iter().find_map(|frame| owner(frame, group));
        let near = [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter(|n| *n < stretches.len());
        let nearest = near.filter(|n| group[*n] != own).min_by(|a, b| {
            let difference = |other: usize| stretches[i].signature.difference(&stretches[other].signature);
            difference(*a).total_cmp(&difference(*b))
        });
        if let Some(other) = shown.or(nearest.map(|n| group[n])) {
            group.iter_mut().filter(|g| **g == own).for_each(|g| *g = other);
        }
    }
}

/// Builds the run of the zone detection.
pub(super) fn run(settings: &ZoneSettings) -> Run {
    let parameters = [
        ("min_seconds", settings.min_seconds.to_string()),
        ("window_seconds", settings.window_seconds.to_string()),
        ("boundary", settings.boundary.to_string()),
        ("same_zone", settings.same_zone.to_string()),
        ("place_matches", settings.place_matches.to_string()),
    ];
    let model = "doorways, changes of appearance; places by features, texts and signs";
    Run {
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        ..Run::new(Task::Zones, Provider::Signal, model, "3")
    }
}
