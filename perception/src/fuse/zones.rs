//! Parts of the space, told apart by how they look.
//!
//! The walk is cut where it goes from one place to another. The stretches between are then joined: neighbours that
//! differ too little, and stretches that show the same place again.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{Provider, Run, Task};
use domain::media::InputKind;

use super::cut::cut;
use super::look::{Look, Looks};
use super::place::{Places, Stretch};
use super::plates::{Plates, tell_apart};
use super::stays::assemble;
use super::{FusedZone, Visit};
use crate::ingest::Ingested;
use crate::observe::Seen;
use crate::settings::ZoneSettings;

/// A look aside within one place is shorter than this.
const LOOK_MS: u64 = 4500;
/// Looks before and after it that differ by less than this share of what one zone may, are of one place.
const HARDLY: f64 = 0.5;
/// Two stretches with another between them may be two visits. (Through a door the next one is seen from this one: that
/// is no second visit.)
const VISITS_APART: usize = 2;
/// Stretches that differ by less than this share of what one zone may look the very same: half the proof is enough…
const VERY_SAME: f64 = 0.2;
/// …and from this share on the whole.
const UNLIKE: f64 = 0.6;

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

/// How zones were told apart.
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
    fn what_looks_the_very_same_needs_half_the_proof() {
        assert_eq!([0.0, 0.2, 0.4, 0.6, 2.0].map(|unlike| proof(unlike, 18)), [9, 9, 14, 18, 18]);
    }
}
