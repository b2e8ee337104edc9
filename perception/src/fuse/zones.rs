//! Parts of the space, told apart by how they look.
//!
//! Where the look before a moment and the look after it differ most, the walk went from one place to
//! another. The stretches between such moments are then joined: neighbours that differ too little, and
//! stretches that show the same place again.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Interval, Run};
use domain::media::InputKind;

use super::look::{Look, Looks};
use super::place::{Places, Stretch};
use super::plates::{Plates, tell_apart};
use super::{FusedZone, Visit};
use crate::ingest::{Ingested, Sample};
use crate::observe::Seen;
use crate::settings::ZoneSettings;
use crate::signal::thousandths;

/// A look aside within one place is shorter than this.
const LOOK_MS: u64 = 4500;
/// Looks before and after it that differ by less than this share of what one zone may, are of one place.
const HARDLY: f64 = 0.5;
/// A gap without usable pictures from this length on belongs to no zone.
const GAP_MS: u64 = 1500;
/// A sample of a video stands for so much of it.
const SAMPLE_MS: u64 = 500;
/// A photo stands for so much of a walk: people take one for each view.
const PHOTO_MS: u64 = 1500;
/// Two stretches with another between them may be two visits. (Through a door the next one is seen from this one: that
/// is no second visit.)
const VISITS_APART: usize = 2;
/// Stretches that differ by less than this share of what one zone may look the very same: half the proof is enough…
const VERY_SAME: f64 = 0.2;
/// …and from this share on the whole.
const UNLIKE: f64 = 0.6;
/// How long before it is entered a room fills the picture.
const APPROACH_MS: u64 = 1000;
/// How far a visit reaches beyond its last usable sample before such a gap.
const REACH_MS: u64 = 250;

/// Zones in order of first visit, and the walk through them.
pub(super) fn zones(
    ingested: &Ingested,
    seen: &BTreeMap<&str, &Seen>,
    settings: &ZoneSettings,
) -> (Vec<FusedZone>, Vec<Visit>) {
    let (looks, plates) = (Looks::of(seen), Plates::of(ingested, seen));
    let ranges = cut(ingested, &looks, settings);
    let stretches: Vec<Stretch> =
        ranges.into_iter().filter_map(|r| Stretch::of(ingested, &looks, &plates, r)).collect();
    let groups = join(ingested, &looks, &stretches, settings);
    assemble(ingested, &stretches, &groups)
}

/// Which zone each frame shows.
pub(super) fn by_frame(zones: &[FusedZone]) -> BTreeMap<String, usize> {
    let each = |(number, zone): (usize, &FusedZone)| {
        zone.frame_ids.iter().map(|id| (id.clone(), number)).collect::<Vec<_>>()
    };
    zones.iter().enumerate().flat_map(each).collect()
}

/// Cuts the samples where the look changes most.
fn cut(ingested: &Ingested, looks: &Looks<'_>, settings: &ZoneSettings) -> Vec<std::ops::Range<usize>> {
    let samples = &ingested.samples;
    let usable: Vec<usize> = (0..samples.len()).filter(|i| samples[*i].usable).collect();
    let time = |at: usize| match ingested.kind {
        InputKind::Video => samples[usable[at]].t_ms.unwrap_or_default(),
        InputKind::Frames => usable[at] as u64 * PHOTO_MS,
    };
    let window = (settings.window_seconds * 1000.0) as u64;
    let least = (settings.min_seconds * 1000.0) as u64;
    let mean = |range: std::ops::Range<usize>| looks.together(range.map(|at| &samples[usable[at]]));
    let change = |at: usize| {
        let before = (0..at).rev().take_while(|i| time(at) - time(*i) <= window).count();
        let after = (at..usable.len()).take_while(|i| time(*i) - time(at) < window).count();
        match (mean(at - before..at), mean(at..at + after)) {
            (Some(before), Some(after)) => before.difference(&after),
            _ => 0.0,
        }
    };
    let mut changes: Vec<(f64, usize)> = (1..usable.len()).map(|at| (change(at), at)).collect();
    changes.retain(|(change, _)| *change >= settings.boundary);
    changes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut cuts: Vec<usize> = Vec::new();
    // The last sample stands for some time too.
    let lasts = if ingested.kind == InputKind::Video { SAMPLE_MS } else { PHOTO_MS };
    let end = usable.len().checked_sub(1).map_or(0, time) + lasts;
    for (_, at) in changes {
        let apart = |other: u64| time(at).abs_diff(other) >= least;
        if cuts.iter().all(|cut| apart(time(*cut))) && apart(time(0)) && end.saturating_sub(time(at)) >= least
        {
            cuts.push(at);
        }
    }
    cuts.sort_unstable();
    let mut bounds: Vec<usize> = vec![0];
    bounds.extend(cuts.into_iter().map(|at| usable[at]));
    bounds.push(samples.len());
    bounds.windows(2).map(|w| w[0]..w[1]).filter(|r| !r.is_empty()).collect()
}

/// Joins stretches into zones: the number of the group of each.
fn join(
    ingested: &Ingested,
    looks: &Looks<'_>,
    stretches: &[Stretch],
    settings: &ZoneSettings,
) -> Vec<usize> {
    let mut places = Places::new(ingested);
    let same_zone = settings.same_zone;
    let mut group: Vec<usize> = (0..stretches.len()).collect();
    let mut look: Vec<Look> = stretches.iter().map(|s| s.look.clone()).collect();
    let mut plates: Vec<BTreeSet<String>> = stretches.iter().map(|s| s.plates.clone()).collect();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for a in 0..stretches.len() {
            for b in a + 1..stretches.len() {
                // Each group is spoken for by its first stretch.
                if group[a] != a || group[b] != b || tell_apart(&plates[a], &plates[b]) {
                    continue;
                }
                let difference = look[a].difference(&look[b]);
                let next_to = neighbours(&group, a, b);
                let enough = proof(difference / same_zone, settings.place_matches);
                let same = alike(difference, next_to, same_zone, || {
                    let shared = most_matches(&mut places, stretches, &group, (a, b), VISITS_APART);
                    (shared >= enough || seen_again(stretches, &group, a, b))
                        && !outdone(&mut places, stretches, &group, &look, (a, b, shared))
                });
                if same && best.is_none_or(|(least, _, _)| difference < least) {
                    best = Some((difference, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
        let of_b = std::mem::take(&mut plates[b]);
        plates[a].extend(of_b);
        let members = || stretches.iter().zip(&group).filter(|(_, g)| **g == a);
        let usable = members().flat_map(|(s, _)| &ingested.samples[s.samples.clone()]).filter(|s| s.usable);
        if let Some(together) = looks.together(usable) {
            look[a] = together;
        }
    }
    turn_back(ingested, stretches, &mut group, same_zone);
    adopt(stretches, &mut group, &look);
    group
}

/// Whether two groups are one place, by how they look and what they share.
fn alike(difference: f64, neighbours: bool, same_zone: f64, seen_again: impl FnOnce() -> bool) -> bool {
    if neighbours {
        // Neighbours that look the same were cut for a passing change.
        return difference < same_zone;
    }
    // Rooms can look alike: seeing one again means to see its things again.
    difference < 2.0 * same_zone && seen_again()
}

fn neighbours(group: &[usize], a: usize, b: usize) -> bool {
    group.windows(2).any(|w| (w[0] == a && w[1] == b) || (w[0] == b && w[1] == a))
}

/// A short stretch between two of one place is a look at another side of it: who enters another room and comes back
/// takes longer. Only where it is seen nowhere else. What looks the very same before and after is one place there.
fn turn_back(ingested: &Ingested, stretches: &[Stretch], group: &mut [usize], same_zone: f64) {
    if ingested.kind != InputKind::Video {
        return;
    }
    let time = |at: usize| ingested.samples.get(at).and_then(|s| s.t_ms).unwrap_or_default();
    for i in 1..stretches.len().saturating_sub(1) {
        let (before, own, after) = (group[i - 1], group[i], group[i + 1]);
        let alone = group.iter().filter(|g| **g == own).count() == 1;
        let samples = &stretches[i].samples;
        let length = time(samples.end).saturating_sub(time(samples.start));
        let another = tell_apart(&stretches[i].plates, &stretches[i - 1].plates);
        if [before, after].contains(&own) || !alone || another || length >= LOOK_MS {
            continue;
        }
        let (earlier, later) = (&stretches[i - 1].look, &stretches[i + 1].look);
        if before == after || earlier.difference(later) < HARDLY * same_zone {
            group.iter_mut().filter(|g| [own, after].contains(*g)).for_each(|g| *g = before);
        }
    }
}

/// Whether something seen in one group was left out because a frame of the other shows the same.
fn seen_again(stretches: &[Stretch], group: &[usize], a: usize, b: usize) -> bool {
    let shows = |one: usize, two: usize| {
        one.abs_diff(two) >= VISITS_APART
            && stretches[one].shown.iter().any(|frame| stretches[two].frames.contains(frame))
    };
    let of = |wanted: usize| (0..group.len()).filter(move |i| group[*i] == wanted);
    of(a).any(|one| of(b).any(|two| shows(one, two) || shows(two, one)))
}

/// How many features two groups must share to be one place: fewer where they look the very same. `unlike` is their
/// difference as a share of what one zone may differ.
fn proof(unlike: f64, most: usize) -> usize {
    let share = ((unlike - VERY_SAME) / (UNLIKE - VERY_SAME)).clamp(0.0, 1.0);
    let least = most as f64 / 2.0;
    (least + share * (most as f64 - least)).ceil() as usize
}

/// Whether one of two groups has more in common with a third, which it looks more like: through an open door, much of
/// another room is seen without being in it.
fn outdone(
    places: &mut Places,
    stretches: &[Stretch],
    group: &[usize],
    looks: &[Look],
    (a, b, shared): (usize, usize, usize),
) -> bool {
    let difference = looks[a].difference(&looks[b]);
    let mut others = (0..group.len()).filter(|other| group[*other] == *other && ![a, b].contains(other));
    others.any(|other| {
        [a, b].into_iter().any(|own| {
            looks[own].difference(&looks[other]) < difference
                && most_matches(places, stretches, group, (own, other), 1) > shared
        })
    })
}

/// The most features that a stretch of one group shares with one of the other, so many stretches or more away.
fn most_matches(
    places: &mut Places,
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
fn adopt(stretches: &[Stretch], group: &mut [usize], looks: &[Look]) {
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
        let nearest = near
            .map(|n| group[n])
            .filter(|g| *g != own)
            .min_by(|a, b| looks[own].difference(&looks[*a]).total_cmp(&looks[own].difference(&looks[*b])));
        if let Some(other) = shown.or(nearest) {
            group.iter_mut().filter(|g| **g == own).for_each(|g| *g = other);
        }
    }
}

fn assemble(ingested: &Ingested, stretches: &[Stretch], groups: &[usize]) -> (Vec<FusedZone>, Vec<Visit>) {
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
        pass_doorways(&mut visits);
    }
    of_visits(ingested, visits)
}

/// The zones of a walk in which some are one, each pair the lower number first.
pub(super) fn joined(
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
    of_visits(ingested, out)
}

/// Zones, from the stays in them.
fn of_visits(ingested: &Ingested, mut visits: Vec<Visit>) -> (Vec<FusedZone>, Vec<Visit>) {
    let count = visits.iter().map(|visit| visit.zone + 1).max().unwrap_or_default();
    let zones = (0..count).map(|zone| {
        let of_zone = || visits.iter().filter(move |v| v.zone == zone);
        let intervals: Vec<Interval> = of_zone().map(|v| v.interval).collect();
        let frame_ids: Vec<String> = of_zone().flat_map(|v| v.frame_ids.iter().cloned()).collect();
        let samples = || {
            let inside =
                |s: &&Sample| intervals.iter().any(|i| holds(ingested.kind, i, s.position(ingested.kind)));
            ingested.samples.iter().filter(inside)
        };
        let coverage = samples().filter(|s| s.usable).count() as f64 / samples().count().max(1) as f64;
        let best_frame_id = best(ingested, &frame_ids).unwrap_or_default();
        FusedZone { intervals, frame_ids, best_frame_id, coverage: thousandths(coverage) }
    });
    let mut zones: Vec<FusedZone> = zones.collect();
    // Only where no stretch has a frame at all could a zone be without one.
    zones.retain(|z| !z.frame_ids.is_empty());
    visits.retain(|v| v.zone < zones.len());
    (zones, visits)
}

/// A room fills the picture before it is entered: a doorway of 0.9 m takes most of a usual lens's view
/// (70°) from 1.3 m on, which takes about a second to walk. What a frame *shows* changes there; where the
/// walk *is* changes when the doorway is passed.
fn pass_doorways(visits: &mut [Visit]) {
    for i in 1..visits.len() {
        let (before, after) = (visits[i - 1].interval, visits[i].interval);
        if before.end == after.start {
            let passed = after.start + APPROACH_MS.min((after.end - after.start) / 3);
            visits[i - 1].interval.end = passed;
            visits[i].interval.start = passed;
        }
    }
}

/// The sharpest frame that is lit well: detail counts, darkness and glare cost.
fn best(ingested: &Ingested, frame_ids: &[String]) -> Option<String> {
    let worth = |f: &&domain::document::Frame| f.sharpness.ln_1p() * (1.0 - (f.exposure - 0.5).abs());
    let frames = ingested.frames.iter().filter(|f| frame_ids.contains(&f.id));
    frames.max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.id.cmp(&a.id))).map(|f| f.id.clone())
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
    // What is blurred or dark at the end, for long, is no part of the visit; where for short, half of it is.
    let usable = stretch.samples.clone().rev().find(|i| samples[*i].usable).map_or(start, time);
    let end = if end.saturating_sub(usable) >= GAP_MS && stretch.samples.end < samples.len() {
        usable + REACH_MS
    } else {
        end
    };
    Interval { start, end: end.max(start + 1) }
}

fn adjoining(kind: InputKind, before: Interval, after: Interval) -> bool {
    match kind {
        InputKind::Video => after.start.saturating_sub(before.end) < GAP_MS,
        InputKind::Frames => after.start == before.end + 1,
    }
}

fn holds(kind: InputKind, interval: &Interval, position: u64) -> bool {
    match kind {
        InputKind::Video => (interval.start..interval.end).contains(&position),
        InputKind::Frames => (interval.start..=interval.end).contains(&position),
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
        model: "change of colours and edges, places by features".to_owned(),
        version: "1".to_owned(),
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
        assert_eq!([0.0, 0.2, 0.4, 0.6, 2.0].map(|unlike| proof(unlike, 18)), [9, 9, 14, 18, 18]);
    }
}
