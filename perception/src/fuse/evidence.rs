//! Signed evidence (log-odds) that stretches of a walk, or photos, show one place.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::media::InputKind;

use super::landmarks::shared_signs;
use super::overlaps::{self, Overlaps};
use super::photo_look::PhotoLook;
use super::place_signature::PlaceSignature;
use super::places::Stretch;
use super::room_signs::name_different_rooms;
use crate::ingest::Ingested;
use crate::observe::FrameObservation;
use crate::settings::ZoneSettings;

/// Minimum distance, in stretches of a video, between two visits of one place. Frames of adjacent
/// stretches show the other place through doors.
const MIN_STRETCHES_BETWEEN_VISITS: usize = 2;
/// Log-odds of an appearance without any difference; it falls linearly to 0 at `same_zone`.
const LOOK_WEIGHT: f64 = 3.0;
/// Range of the log-odds of the appearance of neighbours in a video.
const NEIGHBOUR_LOOK: (f64, f64) = (-4.0, 2.0);
/// Range of the log-odds of the appearance of two visits: an alike room is hardly evidence.
const RETURN_LOOK: (f64, f64) = (-4.0, 0.5);
/// Range of the log-odds of the appearance of photos.
const PHOTO_LOOK: (f64, f64) = (-3.0, 3.0);
/// Log-odds of two stretches of a video that don't follow each other being one place, before any
/// evidence.
const RETURN_PRIOR: f64 = -1.0;
/// Most log-odds that shared features give to neighbours of a video, which see each other through
/// the door.
const MAX_NEIGHBOUR_PROOF: f64 = 1.5;
/// Log-odds against one place on both sides of a doorway, besides those that there is a doorway.
const DOORWAY: f64 = 1.0;
/// Log-odds of signs that name two rooms.
const NAMES_CLASH: f64 = -4.0;
/// Log-odds of a view that was kept once because both stretches show it.
const SAME_VIEW: f64 = 2.5;

/// What tells stretches apart or joins them.
pub(super) struct Evidence<'a> {
    stretches: &'a [Stretch],
    /// For each stretch, the others that demonstrably show the same place, with the log-odds.
    proof: Vec<BTreeMap<usize, f64>>,
    /// Appearance of photos; `None` for a video.
    photos: Option<PhotoLook>,
    /// Contrast of the space, as a share of the usual one.
    contrast: f64,
    same_zone: f64,
    /// Mean signatures of groups, by their first item and size, which identify a growing group.
    means: RefCell<HashMap<(usize, usize), Option<PlaceSignature>>>,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(
        ingested: &Ingested,
        observations: &BTreeMap<&str, &FrameObservation>,
        overlaps: &Overlaps,
        stretches: &'a [Stretch],
        contrast: f64,
        settings: &ZoneSettings,
    ) -> Evidence<'a> {
        Evidence {
            stretches,
            proof: proof(ingested, observations, overlaps, stretches, settings),
            photos: (ingested.kind == InputKind::Frames).then(|| PhotoLook::of(stretches)),
            contrast,
            same_zone: settings.same_zone,
            means: RefCell::default(),
        }
    }

    /// Returns the pairs of stretches that may have evidence of being one place: neighbours, those
    /// with proof, and photos that look alike. Elsewhere a video has none, because an alike room is
    /// less evidence than the prior.
    pub(super) fn linked(&self) -> BTreeSet<(usize, usize)> {
        let count = self.stretches.len();
        let mut linked: BTreeSet<(usize, usize)> = (1..count).map(|at| (at - 1, at)).collect();
        let mut link = |a: usize, b: usize| linked.insert((a.min(b), a.max(b)));
        for (a, others) in self.proof.iter().enumerate() {
            others.keys().for_each(|b| {
                link(a, *b);
            });
        }
        if let Some(photos) = &self.photos {
            for a in 0..count {
                photos.nearest(a).into_iter().for_each(|b| {
                    link(a, b);
                });
            }
        }
        linked
    }

    /// Returns the log-odds that two groups of stretches, each in order, are one place.
    pub(super) fn log_odds(&self, a: &[usize], b: &[usize]) -> f64 {
        let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let is_in = |at: usize| many.binary_search(&at).is_ok();
        let adjoining = few.iter().any(|at| is_in(at + 1) || at.checked_sub(1).is_some_and(is_in));
        let proven = few.iter().flat_map(|at| &self.proof[*at]).filter(|(other, _)| is_in(**other));
        let proof = proven.map(|(_, log_odds)| *log_odds).fold(0.0, f64::max);
        let clash = if self.names_clash(a, b) { NAMES_CLASH } else { 0.0 };
        let looks = |even: f64, range: (f64, f64)| look(self.difference(a, b), even, range);
        clash
            + match (&self.photos, adjoining) {
                (Some(photos), _) => {
                    photos.log_odds(a, b).min(looks(self.same_zone, PHOTO_LOOK))
                        + photos.prior(adjoining)
                        + proof
                }
                (None, true) => {
                    looks(self.same_zone * self.contrast, NEIGHBOUR_LOOK) + proof.min(MAX_NEIGHBOUR_PROOF)
                        - self.doorway(few, &is_in)
                }
                (None, false) => looks(2.0 * self.same_zone, RETURN_LOOK) + RETURN_PRIOR + proof,
            }
    }

    fn names_clash(&self, a: &[usize], b: &[usize]) -> bool {
        let names = |group: &[usize]| -> BTreeSet<String> {
            group.iter().flat_map(|at| self.stretches[*at].room_signs.iter().cloned()).collect()
        };
        name_different_rooms(&names(a), &names(b))
    }

    fn difference(&self, a: &[usize], b: &[usize]) -> f64 {
        let mut means = self.means.borrow_mut();
        for group in [a, b] {
            means.entry((group[0], group.len())).or_insert_with(|| {
                PlaceSignature::mean(group.iter().map(|at| &self.stretches[*at].signature))
            });
        }
        let mean = |group: &[usize]| means.get(&(group[0], group.len()))?.as_ref();
        match (mean(a), mean(b)) {
            (Some(a), Some(b)) => a.difference(b),
            _ => f64::INFINITY,
        }
    }

    /// Returns the log-odds against one place on both sides of the doorways between a group and
    /// another.
    fn doorway(&self, group: &[usize], is_in_other: &impl Fn(usize) -> bool) -> f64 {
        let entered = |at: usize| self.stretches[at].doorway;
        let before = group.iter().filter(|at| at.checked_sub(1).is_some_and(is_in_other));
        let after = group.iter().filter(|at| is_in_other(**at + 1));
        let weights = before.map(|at| entered(*at)).chain(after.map(|at| entered(at + 1)));
        let weight = weights.fold(0.0, f64::max);
        if weight > 0.0 { DOORWAY + weight } else { 0.0 }
    }
}

/// Returns the log-odds of a difference in appearance that is as likely in one place as in two at
/// `even`.
fn look(difference: f64, even: f64, (least, most): (f64, f64)) -> f64 {
    (LOOK_WEIGHT * (1.0 - difference / even)).clamp(least, most)
}

/// Returns for each stretch the others with contents that show one place, and the log-odds.
fn proof(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    overlaps: &Overlaps,
    stretches: &[Stretch],
    settings: &ZoneSettings,
) -> Vec<BTreeMap<usize, f64>> {
    let mut proof = vec![BTreeMap::<usize, f64>::new(); stretches.len()];
    let far = match ingested.kind {
        InputKind::Video => MIN_STRETCHES_BETWEEN_VISITS,
        InputKind::Frames => 1,
    };
    let mut add = |a: usize, b: usize, log_odds: f64| {
        if a.abs_diff(b) >= far && log_odds > 0.0 {
            for (one, other) in [(a, b), (b, a)] {
                let known = proof[one].entry(other).or_default();
                *known = known.max(log_odds);
            }
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
        let views = overlaps::views_of_frames(ingested);
        for ((a, b), log_odds) in shared_signs(&ingested.frames, &views, observations) {
            if let (Some(a), Some(b)) = (of_frame[a], of_frame[b]) {
                add(a, b, log_odds);
            }
        }
    }
    proof
}
