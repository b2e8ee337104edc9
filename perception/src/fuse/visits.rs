//! Builds zones and their visits from stretches that are grouped by place.

use std::collections::BTreeMap;

use domain::document::Interval;
use domain::media::InputKind;

use super::places::Stretch;
use super::{FusedZone, Visit};
use crate::ingest::{Ingested, Sample};
use crate::signal::{Doorway, thousandths};

/// Shortest gap without usable pictures that belongs to no zone, in milliseconds.
const MIN_GAP_MS: u64 = 1500;
/// Time for which a room fills the picture before it is entered, in milliseconds.
const DOORWAY_APPROACH_MS: u64 = 1000;
/// Longest time between a doorway and the sample after it at which the walk was cut, in milliseconds.
const DOORWAY_SAMPLE_MS: u64 = 1000;
/// Time by which a visit extends beyond its last usable sample before a gap, in milliseconds.
const GAP_OVERLAP_MS: u64 = 250;

/// Returns the zones in order of first visit, and the walk through them. `groups` holds the group
/// of each stretch.
pub(super) fn assemble(
    ingested: &Ingested,
    stretches: &[Stretch],
    groups: &[usize],
) -> (Vec<FusedZone>, Vec<Visit>) {
    let mut numbers = BTreeMap::new();
    let mut visits: Vec<Visit> = Vec::new();
    for (i, stretch) in stretches.iter().enumerate() {
        let next = numbers.len();
        let zone = *numbers.entry(groups[i]).or_insert(next);
        let interval = interval(ingested, stretch);
        match visits.last_mut() {
            Some(last) if last.zone == zone && adjoining(ingested.kind, last.interval, interval) => {
                last.interval.end = interval.end;
                last.frame_ids.extend(stretch.frames.iter().cloned());
            }
            _ => visits.push(Visit { zone, interval, frame_ids: stretch.frames.clone() }),
        }
    }
    if ingested.kind == InputKind::Video {
        pass_doorways(&mut visits, &ingested.doorways);
    }
    zones_of_visits(ingested, visits)
}

/// Merges zones that are one room. Each pair of `same` has the lower zone number first.
pub(super) fn merge_zones(
    ingested: &Ingested,
    visits: Vec<Visit>,
    same: &[(usize, usize)],
) -> (Vec<FusedZone>, Vec<Visit>) {
    let mut numbers = BTreeMap::new();
    let mut out: Vec<Visit> = Vec::new();
    for visit in visits {
        let mut first = visit.zone;
        while let Some((earlier, _)) = same.iter().find(|(_, later)| *later == first) {
            first = *earlier;
        }
        let next = numbers.len();
        let zone = *numbers.entry(first).or_insert(next);
        match out.last_mut() {
            Some(last) if last.zone == zone && adjoining(ingested.kind, last.interval, visit.interval) => {
                last.interval.end = visit.interval.end;
                last.frame_ids.extend(visit.frame_ids);
            }
            _ => out.push(Visit { zone, ..visit }),
        }
    }
    zones_of_visits(ingested, out)
}

/// Builds the zones of visits.
fn zones_of_visits(ingested: &Ingested, mut visits: Vec<Visit>) -> (Vec<FusedZone>, Vec<Visit>) {
    let count = visits.iter().map(|visit| visit.zone + 1).max().unwrap_or_default();
    let zones = (0..count).map(|zone| {
        let of_zone = || visits.iter().filter(move |v| v.zone == zone);
        let intervals: Vec<Interval> = of_zone().map(|v| v.interval).collect();
        let frame_ids: Vec<String> = of_zone().flat_map(|v| v.frame_ids.iter().cloned()).collect();
        let samples = || {
            let inside = |s: &&Sample| {
                intervals.iter().any(|i| interval_contains(ingested.kind, i, s.position(ingested.kind)))
            };
            ingested.samples.iter().filter(inside)
        };
        let coverage = samples().filter(|s| s.usable).count() as f64 / samples().count().max(1) as f64;
        let best_frame_id = best_frame(ingested, &frame_ids).unwrap_or_default();
        FusedZone { intervals, frame_ids, best_frame_id, coverage: thousandths(coverage) }
    });
    let mut zones: Vec<FusedZone> = zones.collect();
    // A zone has no frame only if no stretch has one.
    zones.retain(|z| !z.frame_ids.is_empty());
    visits.retain(|v| v.zone < zones.len());
    (zones, visits)
}

/// Moves the transitions between rooms to the time at which the doorway is passed.
///
/// Where no doorway was recognised, it is estimated: a room fills the picture before it is entered,
/// because a doorway of 0.9 m fills most of a usual lens's view (70°) from a distance of 1.3 m, which
/// takes about a second to walk. The view changes there, but the position changes at the doorway.
fn pass_doorways(visits: &mut [Visit], doorways: &[Doorway]) {
    for i in 1..visits.len() {
        let (before, after) = (visits[i - 1].interval, visits[i].interval);
        if before.end != after.start {
            continue;
        }
        let is_here = |doorway: &&Doorway| {
            doorway.t_ms.abs_diff(after.start) <= DOORWAY_SAMPLE_MS
                && (before.start + 1..after.end).contains(&doorway.t_ms)
        };
        let passed = match doorways.iter().find(is_here) {
            Some(doorway) => doorway.t_ms,
            None => after.start + DOORWAY_APPROACH_MS.min((after.end - after.start) / 3),
        };
        visits[i - 1].interval.end = passed;
        visits[i].interval.start = passed;
    }
}

/// Returns the sharpest well-lit frame: detail adds quality, darkness and glare reduce it.
fn best_frame(ingested: &Ingested, frame_ids: &[String]) -> Option<String> {
    let quality = |f: &&domain::document::Frame| f.sharpness.ln_1p() * (1.0 - (f.exposure - 0.5).abs());
    let frames = ingested.frames.iter().filter(|f| frame_ids.contains(&f.id));
    frames.max_by(|a, b| quality(a).total_cmp(&quality(b)).then(b.id.cmp(&a.id))).map(|f| f.id.clone())
}

fn interval(ingested: &Ingested, stretch: &Stretch) -> Interval {
    let samples = &ingested.samples;
    let (first, last) = (&samples[stretch.samples.start], &samples[stretch.samples.end - 1]);
    if ingested.kind == InputKind::Frames {
        return Interval { start: first.position(ingested.kind), end: last.position(ingested.kind) };
    }
    let length = ingested.media.first().and_then(|m| m.duration_ms);
    let time = |i: usize| samples[i].t_ms.unwrap_or_default();
    let start = if stretch.samples.start == 0 { 0 } else { time(stretch.samples.start) };
    let end = match samples.get(stretch.samples.end) {
        Some(next) => next.t_ms.unwrap_or_default(),
        None => length.unwrap_or_default().max(time(stretch.samples.end - 1) + 1),
    };
    // A long blurred or dark end is not part of the visit.
    let usable = stretch.samples.clone().rev().find(|i| samples[*i].usable).map_or(start, time);
    let end = if end.saturating_sub(usable) >= MIN_GAP_MS && stretch.samples.end < samples.len() {
        usable + GAP_OVERLAP_MS
    } else {
        end
    };
    Interval { start, end: end.max(start + 1) }
}

fn adjoining(kind: InputKind, before: Interval, after: Interval) -> bool {
    match kind {
        InputKind::Video => after.start.saturating_sub(before.end) < MIN_GAP_MS,
        InputKind::Frames => after.start == before.end + 1,
    }
}

fn interval_contains(kind: InputKind, interval: &Interval, position: u64) -> bool {
    match kind {
        InputKind::Video => (interval.start..interval.end).contains(&position),
        InputKind::Frames => (interval.start..=interval.end).contains(&position),
    }
}
