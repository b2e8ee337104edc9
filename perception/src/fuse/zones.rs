//! Divides the space into zones by appearance.
//!
//! The walk is cut at the transitions between places. Stretches between the cuts are then joined
//! into zones: adjacent stretches that differ too little, and stretches that show the same place
//! again.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Provider, Run, Task};
use domain::media::InputKind;

use super::cut::cut;
use super::place_signature::{FrameDescriptors, PlaceSignature};
use super::places::{PlaceMatcher, Stretch};
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
/// Minimum distance, in stretches, between two visits of one place. Frames of adjacent stretches
/// show the other place through doors.
const MIN_STRETCHES_BETWEEN_VISITS: usize = 2;
/// Difference, as a share of `same_zone`, up to which half the feature matches suffice.
const HALF_MATCHES_MAX_DIFFERENCE_SHARE: f64 = 0.2;
/// Difference, as a share of `same_zone`, from which all feature matches are required.
const FULL_MATCHES_MIN_DIFFERENCE_SHARE: f64 = 0.6;

/// Returns the zones in order of first visit, and the walk through them.
pub(super) fn zones(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    settings: &ZoneSettings,
) -> (Vec<FusedZone>, Vec<Visit>) {
    let (descriptors, room_signs) =
        (FrameDescriptors::of(observations), RoomSigns::of(ingested, observations));
    let ranges = cut(ingested, &descriptors, settings);
    let stretches: Vec<Stretch> =
        ranges.into_iter().filter_map(|r| Stretch::of(ingested, &descriptors, &room_signs, r)).collect();
    let groups = group_stretches(ingested, &descriptors, &stretches, settings);
    assemble(ingested, &stretches, &groups)
}

/// Returns the zone of each frame.
pub(super) fn by_frame(zones: &[FusedZone]) -> BTreeMap<String, usize> {
    let each = |(number, zone): (usize, &FusedZone)| {
        zone.frame_ids.iter().map(|id| (id.clone(), number)).collect::<Vec<_>>()
    };
    zones.iter().enumerate().flat_map(each).collect()
}

/// Joins stretches into zones. Returns the number of the group of each stretch.
fn group_stretches(
    ingested: &Ingested,
    descriptors: &FrameDescriptors<'_>,
    stretches: &[Stretch],
    settings: &ZoneSettings,
) -> Vec<usize> {
    let mut places = PlaceMatcher::new(ingested);
    let same_zone = settings.same_zone;
    let mut group: Vec<usize> = (0..stretches.len()).collect();
    let mut signature: Vec<PlaceSignature> = stretches.iter().map(|s| s.signature.clone()).collect();
    let mut room_signs: Vec<BTreeSet<String>> = stretches.iter().map(|s| s.room_signs.clone()).collect();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for a in 0..stretches.len() {
            for b in a + 1..stretches.len() {
                // The first stretch of a group represents it.
                if group[a] != a || group[b] != b || name_different_rooms(&room_signs[a], &room_signs[b]) {
                    continue;
                }
                let difference = signature[a].difference(&signature[b]);
                let next_to = neighbours(&group, a, b);
                let enough = required_matches(difference / same_zone, settings.place_matches);
                let same = is_same_place(difference, next_to, same_zone, || {
                    let shared =
                        most_matches(&mut places, stretches, &group, (a, b), MIN_STRETCHES_BETWEEN_VISITS);
                    (shared >= enough || seen_again(stretches, &group, a, b))
                        && !third_place_matches_better(
                            &mut places,
                            stretches,
                            &group,
                            &signature,
                            (a, b, shared),
                        )
                });
                if same && best.is_none_or(|(least, _, _)| difference < least) {
                    best = Some((difference, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
        let of_b = std::mem::take(&mut room_signs[b]);
        room_signs[a].extend(of_b);
        let members = || stretches.iter().zip(&group).filter(|(_, g)| **g == a);
        let usable = members().flat_map(|(s, _)| &ingested.samples[s.samples.clone()]).filter(|s| s.usable);
        if let Some(together) = descriptors.mean_signature(usable) {
            signature[a] = together;
        }
    }
    merge_glances(ingested, stretches, &mut group, same_zone);
    assign_frameless_groups(stretches, &mut group, &signature);
    group
}

/// Returns true if two groups are one place, by appearance and shared features.
fn is_same_place(
    difference: f64,
    neighbours: bool,
    same_zone: f64,
    seen_again: impl FnOnce() -> bool,
) -> bool {
    if neighbours {
        // Adjacent stretches of the same appearance were cut at a passing change.
        return difference < same_zone;
    }
    // Rooms can look alike, so a return must also show the same features.
    difference < 2.0 * same_zone && seen_again()
}

fn neighbours(group: &[usize], a: usize, b: usize) -> bool {
    group.windows(2).any(|w| (w[0] == a && w[1] == b) || (w[0] == b && w[1] == a))
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
        if [before, after].contains(&own) || !alone || another || length >= MAX_GLANCE_MS {
            continue;
        }
        let (earlier, later) = (&stretches[i - 1].signature, &stretches[i + 1].signature);
        if before == after || earlier.difference(later) < GLANCE_MAX_DIFFERENCE_SHARE * same_zone {
            group.iter_mut().filter(|g| [own, after].contains(*g)).for_each(|g| *g = before);
        }
    }
}

/// Returns true if a view of one group was not kept because a frame of the other shows it.
fn seen_again(stretches: &[Stretch], group: &[usize], a: usize, b: usize) -> bool {
    let shows = |one: usize, two: usize| {
        one.abs_diff(two) >= MIN_STRETCHES_BETWEEN_VISITS
            && stretches[one].shown.iter().any(|frame| stretches[two].frames.contains(frame))
    };
    let of = |wanted: usize| (0..group.len()).filter(move |i| group[*i] == wanted);
    of(a).any(|one| of(b).any(|two| shows(one, two) || shows(two, one)))
}

/// Returns the number of features that two groups must share to be one place. Very similar groups
/// need fewer. `unlike` is their difference as a share of `same_zone`.
fn required_matches(unlike: f64, most: usize) -> usize {
    let share = ((unlike - HALF_MATCHES_MAX_DIFFERENCE_SHARE)
        / (FULL_MATCHES_MIN_DIFFERENCE_SHARE - HALF_MATCHES_MAX_DIFFERENCE_SHARE))
        .clamp(0.0, 1.0);
    let least = most as f64 / 2.0;
    (least + share * (most as f64 - least)).ceil() as usize
}

/// Returns true if one of two groups shares more features with a third group that is also more
/// similar to it. The two groups may then share features only through an open door.
fn third_place_matches_better(
    places: &mut PlaceMatcher,
    stretches: &[Stretch],
    group: &[usize],
    signatures: &[PlaceSignature],
    (a, b, shared): (usize, usize, usize),
) -> bool {
    let difference = signatures[a].difference(&signatures[b]);
    let mut others = (0..group.len()).filter(|other| group[*other] == *other && ![a, b].contains(other));
    others.any(|other| {
        [a, b].into_iter().any(|own| {
            signatures[own].difference(&signatures[other]) < difference
                && most_matches(places, stretches, group, (own, other), 1) > shared
        })
    })
}

/// Returns the largest number of features that a stretch of one group shares with a stretch of the
/// other at least `min_distance` stretches away.
fn most_matches(
    places: &mut PlaceMatcher,
    stretches: &[Stretch],
    group: &[usize],
    (a, b): (usize, usize),
    min_distance: usize,
) -> usize {
    let of = |wanted: usize| (0..group.len()).filter(move |i| group[*i] == wanted);
    let mut most = 0;
    for one in of(a) {
        for two in of(b) {
            if one.abs_diff(two) >= min_distance {
                most = most.max(places.matches(&stretches[one], &stretches[two]));
            }
        }
    }
    most
}

/// Adds a group without a frame to the group whose frame shows it, or to the most similar
/// neighbour.
fn assign_frameless_groups(stretches: &[Stretch], group: &mut [usize], signatures: &[PlaceSignature]) {
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
        let nearest = near.map(|n| group[n]).filter(|g| *g != own).min_by(|a, b| {
            signatures[own]
                .difference(&signatures[*a])
                .total_cmp(&signatures[own].difference(&signatures[*b]))
        });
        if let Some(other) = shown.or(nearest) {
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
    let model = "change of colours, edges and descriptors; places by features and plates";
    Run {
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        ..Run::new(Task::Zones, Provider::Signal, model, "2")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_places_need_half_the_matches() {
        assert_eq!([0.0, 0.2, 0.4, 0.6, 2.0].map(|unlike| required_matches(unlike, 18)), [9, 9, 14, 18, 18]);
    }
}
