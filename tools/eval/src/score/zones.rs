//! Compares zones with rooms.
//!
//! Moments are the samples of the ground truth (every 200 ms of a video, every photo). `zone_f1`
//! and the assignment of zones to rooms leave out ambiguous moments: the camera is in one room and
//! mostly sees another.
//!
//! - `zone_f1`: over pairs of moments, being in the same zone against being in the same room (a
//!   moment without a zone pairs with no other);
//! - `boundary_f1`: changes of zone against passed doorways, matched one to one within 1.5 s (or
//!   one photo);
//! - `revisit_recall`: share of the visits of at least 2 s (or one photo) to an already visited
//!   room that are in the zone of the room's first visit;
//! - room types: a zone belongs to the room with most of its moments. Precision is over all claimed
//!   types; recall is over the visited rooms that a readable sign or the narrator names.

use std::collections::BTreeMap;

use domain::document::SpaceDocument;

use super::{Details, f1, share};
use walkgen::truth::Truth;

/// Maximum time between a change of zone and the passing of its doorway.
const BOUNDARY_TOLERANCE_MS: u64 = 1500;
/// Minimum length of a visit that counts as a revisit.
const MIN_REVISIT_MS: u64 = 2000;

pub(super) struct Zones {
    pub(super) pairs: Option<f64>,
    pub(super) boundaries: Option<f64>,
    pub(super) revisits: Option<f64>,
    pub(super) type_precision: Option<f64>,
    pub(super) type_recall: Option<f64>,
}

struct Moment {
    at: u64,
    room: usize,
    zone: Option<usize>,
    unambiguous: bool,
}

pub(super) fn compare(document: &SpaceDocument, truth: &Truth, details: &mut Details) -> Zones {
    let photos = truth.kind == "frames";
    let moments: Vec<Moment> = truth
        .samples
        .iter()
        .map(|sample| {
            let at = if photos { sample.ordinal.unwrap_or(0) } else { sample.t_ms };
            let holds = |start: u64, end: u64| at >= start && (at < end || photos && at == end);
            let mut zones = document.zones.iter();
            let zone = zones.position(|z| z.intervals.iter().any(|i| holds(i.start, i.end)));
            Moment { at, room: sample.room, zone, unambiguous: sample.view_room == sample.room }
        })
        .collect();
    let (type_precision, type_recall) = types(document, truth, &moments, details);
    Zones {
        pairs: pairs(&moments),
        boundaries: boundaries(document, truth, photos, details),
        revisits: revisits(truth, &moments, photos),
        type_precision,
        type_recall,
    }
}

fn pairs(moments: &[Moment]) -> Option<f64> {
    let clear: Vec<&Moment> = moments.iter().filter(|m| m.unambiguous).collect();
    let (mut both, mut in_zone, mut in_room) = (0, 0, 0);
    for (i, a) in clear.iter().enumerate() {
        for b in &clear[..i] {
            let one_zone = a.zone.is_some() && a.zone == b.zone;
            let one_room = a.room == b.room;
            both += usize::from(one_zone && one_room);
            in_zone += usize::from(one_zone);
            in_room += usize::from(one_room);
        }
    }
    f1(both, in_zone, in_room)
}

fn boundaries(document: &SpaceDocument, truth: &Truth, photos: bool, details: &mut Details) -> Option<f64> {
    let mut intervals: Vec<(u64, u64, usize)> = Vec::new();
    for (number, zone) in document.zones.iter().enumerate() {
        intervals.extend(zone.intervals.iter().map(|i| (i.start, i.end, number)));
    }
    intervals.sort_unstable();
    let changes = intervals.windows(2).filter(|pair| pair[0].2 != pair[1].2);
    let found: Vec<u64> =
        changes.map(|p| if photos { p[1].0 } else { u64::midpoint(p[0].1, p[1].0) }).collect();
    let wanted: Vec<u64> = if photos {
        truth.visits.iter().skip(1).map(|v| v.span.start).collect()
    } else {
        truth.passages.iter().map(|p| p.t_ms).collect()
    };
    let tolerance = if photos { 1 } else { BOUNDARY_TOLERANCE_MS };
    // Matches the nearest pairs first.
    let mut near: Vec<(u64, usize, usize)> = Vec::new();
    for (i, &w) in wanted.iter().enumerate() {
        near.extend(
            found.iter().enumerate().map(|(j, &f)| (w.abs_diff(f), i, j)).filter(|n| n.0 <= tolerance),
        );
    }
    near.sort_unstable();
    let (mut used_wanted, mut used_found) = (vec![false; wanted.len()], vec![false; found.len()]);
    for (_, i, j) in near {
        if !used_wanted[i] && !used_found[j] {
            (used_wanted[i], used_found[j]) = (true, true);
        }
    }
    let unused = |times: &[u64], used: &[bool]| -> Vec<u64> {
        times.iter().zip(used).filter(|(_, used)| !**used).map(|(&t, _)| t).collect()
    };
    details.missed_boundaries = unused(&wanted, &used_wanted);
    details.wrong_boundaries = unused(&found, &used_found);
    f1(used_found.iter().filter(|used| **used).count(), found.len(), wanted.len())
}

/// Returns the zone of most moments in a time span.
fn zone_of(moments: &[Moment], start: u64, end: u64) -> Option<usize> {
    most_frequent(moments.iter().filter(|m| m.at >= start && m.at < end).filter_map(|m| m.zone))
}

fn most_frequent(items: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts.into_iter().max_by_key(|&(item, count)| (count, std::cmp::Reverse(item))).map(|(item, _)| item)
}

fn revisits(truth: &Truth, moments: &[Moment], photos: bool) -> Option<f64> {
    let mut first: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    let (mut found, mut all) = (0, 0);
    for visit in &truth.visits {
        let (start, end) = (visit.span.start, visit.span.end);
        if !photos && end - start < MIN_REVISIT_MS {
            continue;
        }
        let zone = zone_of(moments, start, end);
        match first.get(&visit.room) {
            None => {
                first.insert(visit.room, zone);
            }
            Some(before) => {
                all += 1;
                found += usize::from(zone.is_some() && zone == *before);
            }
        }
    }
    share(found, all)
}

/// Returns the canonical name of a room type.
pub(super) fn canonical_kind(text: &str) -> String {
    let text = text.to_lowercase().replace(['_', '-'], " ");
    let text = text.trim();
    match text {
        "lounge" | "sitting room" | "livingroom" | "living" => "living room",
        "hall" | "corridor" | "entrance" | "entrance hall" | "entry" | "reception" | "lobby" => "hallway",
        "bath" | "washroom" | "restroom" => "bathroom",
        "dining" | "breakfast room" => "dining room",
        "storage" | "store room" | "storeroom" => "storage room",
        "guest room" | "guestroom" => "bedroom",
        "study" => "office",
        other => other,
    }
    .to_owned()
}

fn types(
    document: &SpaceDocument,
    truth: &Truth,
    moments: &[Moment],
    details: &mut Details,
) -> (Option<f64>, Option<f64>) {
    let (mut right, mut all) = (0, 0);
    let mut named = vec![false; truth.rooms.len()];
    for (number, zone) in document.zones.iter().enumerate() {
        let inside = moments.iter().filter(|m| m.zone == Some(number) && m.unambiguous);
        let room = most_frequent(inside.map(|m| m.room)).and_then(|room| truth.rooms.get(room));
        for claim in &zone.types {
            all += 1;
            match room {
                Some(room)
                    if room
                        .kinds()
                        .any(|of_room| canonical_kind(&claim.value) == canonical_kind(of_room)) =>
                {
                    right += 1;
                    named[room.id] = true;
                }
                _ => {
                    let actual = room.map_or("in no room", |room| room.kind.as_str());
                    details.wrong_types.push(format!("{}, not {actual}", claim.value));
                }
            }
        }
    }
    let visited = |id: usize| truth.visits.iter().any(|v| v.room == id);
    let wanted = truth.rooms.iter().filter(|r| visited(r.id) && (r.named_by_sign || r.named_by_words));
    let (found, wanted) = wanted.fold((0, 0), |(f, w), room| (f + usize::from(named[room.id]), w + 1));
    (share(right, all), share(found, wanted))
}
