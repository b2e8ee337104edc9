//! Parts of the space, told apart by how they signature.
//!
//! The walk is cut where it goes from one place to another. The stretches between are then joined: neighbours that
//! differ too little, and stretches that show the same place again.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::Run;
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

/// A signature aside within one place is shorter than this.
const MAX_GLANCE_MS: u64 = 4500;
/// FrameDescriptors before and after it that differ by less than this share of what one zone may, are of one place.
const GLANCE_MAX_DIFFERENCE_SHARE: f64 = 0.5;
/// Two stretches with another between them may be two visits. (Through a door the next one is seen from this one: that
/// is no second visit.)
const MIN_STRETCHES_BETWEEN_VISITS: usize = 2;
/// Stretches that differ by less than this share of what one zone may signature the very same: half the proof is enough…
const HALF_PROOF_MAX_DIFFERENCE_SHARE: f64 = 0.2;
/// …and from this share on the whole.
const FULL_PROOF_MIN_DIFFERENCE_SHARE: f64 = 0.6;

/// Zones in order of first visit, and the walk through them.
pub(super) fn zones(
    ingested: &Ingested,
    seen: &BTreeMap<&str, &FrameObservation>,
    settings: &ZoneSettings,
) -> (Vec<FusedZone>, Vec<Visit>) {
    let (looks, room_signs) = (FrameDescriptors::of(seen), RoomSigns::of(ingested, seen));
    let ranges = cut(ingested, &looks, settings);
    let stretches: Vec<Stretch> =
        ranges.into_iter().filter_map(|r| Stretch::of(ingested, &looks, &room_signs, r)).collect();
    let groups = group_stretches(ingested, &looks, &stretches, settings);
    assemble(ingested, &stretches, &groups)
}

/// Which zone each frame shows.
pub(super) fn by_frame(zones: &[FusedZone]) -> BTreeMap<String, usize> {
    let each = |(number, zone): (usize, &FusedZone)| {
        zone.frame_ids.iter().map(|id| (id.clone(), number)).collect::<Vec<_>>()
    };
    zones.iter().enumerate().flat_map(each).collect()
}

/// Joins stretches into zones: the number of the group of each.
fn group_stretches(
    ingested: &Ingested,
    looks: &FrameDescriptors<'_>,
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
                // Each group is spoken for by its first stretch.
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
        if let Some(together) = looks.mean_signature(usable) {
            signature[a] = together;
        }
    }
    merge_glances(ingested, stretches, &mut group, same_zone);
    assign_frameless_groups(stretches, &mut group, &signature);
    group
}

/// Whether two groups are one place, by how they signature and what they share.
fn is_same_place(
    difference: f64,
    neighbours: bool,
    same_zone: f64,
    seen_again: impl FnOnce() -> bool,
) -> bool {
    if neighbours {
        // Neighbours that signature the same were cut for a passing change.
        return difference < same_zone;
    }
    // Rooms can signature alike: seeing one again means to see its things again.
    difference < 2.0 * same_zone && seen_again()
}

fn neighbours(group: &[usize], a: usize, b: usize) -> bool {
    group.windows(2).any(|w| (w[0] == a && w[1] == b) || (w[0] == b && w[1] == a))
}

/// A short stretch between two of one place is a signature at another side of it: who enters another room and comes back
/// takes longer. Only where it is seen nowhere else. What looks the very same before and after is one place there.
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

/// Whether something seen in one group was left out because a frame of the other shows the same.
fn seen_again(stretches: &[Stretch], group: &[usize], a: usize, b: usize) -> bool {
    let shows = |one: usize, two: usize| {
        one.abs_diff(two) >= MIN_STRETCHES_BETWEEN_VISITS
            && stretches[one].shown.iter().any(|frame| stretches[two].frames.contains(frame))
    };
    let of = |wanted: usize| (0..group.len()).filter(move |i| group[*i] == wanted);
    of(a).any(|one| of(b).any(|two| shows(one, two) || shows(two, one)))
}

/// How many features two groups must share to be one place: fewer where they signature the very same. `unlike` is their
/// difference as a share of what one zone may differ.
fn required_matches(unlike: f64, most: usize) -> usize {
    let share = ((unlike - HALF_PROOF_MAX_DIFFERENCE_SHARE)
        / (FULL_PROOF_MIN_DIFFERENCE_SHARE - HALF_PROOF_MAX_DIFFERENCE_SHARE))
        .clamp(0.0, 1.0);
    let least = most as f64 / 2.0;
    (least + share * (most as f64 - least)).ceil() as usize
}

/// Whether one of two groups has more in common with a third, which it looks more like: through an open door, much of
/// another room is seen without being in it.
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

/// The most features that a stretch of one group shares with one of the other, so many stretches or more away.
fn most_matches(
    places: &mut PlaceMatcher,
    stretches: &[Stretch],
    group: &[usize],
    (a, b): (usize, usize),
    apart: usize,
) -> usize {
    let of = |wanted: usize| (0..group.len()).filter(move |i| group[*i] == wanted);
    let mut most = 0;
    for one in of(a) {
        for two in of(b) {
            if one.abs_diff(two) >= apart {
                most = most.max(places.matches(&stretches[one], &stretches[two]));
            }
        }
    }
    most
}

/// A group without a frame of its own joins the one whose frame shows it, or the neighbour most like it.
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

/// How zones were told apart.
pub(super) fn run(settings: &ZoneSettings) -> Run {
    let parameters = [
        ("min_seconds", settings.min_seconds.to_string()),
        ("window_seconds", settings.window_seconds.to_string()),
        ("boundary", settings.boundary.to_string()),
        ("same_zone", settings.same_zone.to_string()),
        ("place_matches", settings.place_matches.to_string()),
    ];
    Run {
        id: "run_zones".to_owned(),
        task: "zones".to_owned(),
        provider: "signal".to_owned(),
        model: "change of colours, edges and descriptors; places by features and plates".to_owned(),
        version: "2".to_owned(),
        weights_sha256: None,
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        can_know: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_very_same_needs_half_the_proof() {
        assert_eq!([0.0, 0.2, 0.4, 0.6, 2.0].map(|unlike| required_matches(unlike, 18)), [9, 9, 14, 18, 18]);
    }
}
