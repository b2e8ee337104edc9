//! Finds rooms that are visited again, according to the narration: "We are back in the kitchen."

use domain::document::Interval;

use super::{FusedNarration, Visit};
use crate::naming::{rooms_announced, says_return};

/// Returns pairs of zones that are one room according to the narration, the lower number first.
/// Their appearance differs, so the narration must be unambiguous: exactly one earlier zone has
/// that name, and the later zone has no other.
pub(super) fn zones_joined_by_narration(
    visits: &[Visit],
    narration: &[FusedNarration],
) -> Vec<(usize, usize)> {
    let named: Vec<(usize, &FusedNarration, Vec<&str>)> = narration
        .iter()
        .filter_map(|said| Some((said.zone?, said, rooms_announced(&said.text))))
        .filter(|(_, _, names)| !names.is_empty())
        .collect();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (at, (zone, said, names)) in named.iter().enumerate() {
        if !says_return(&said.text) {
            continue;
        }
        let mut earlier: Vec<usize> = named[..at]
            .iter()
            .filter(|(_, _, others)| others.iter().any(|name| names.contains(name)))
            .map(|(zone, _, _)| *zone)
            .collect();
        earlier.sort_unstable();
        earlier.dedup();
        let [first] = earlier[..] else { continue };
        let called_else = named
            .iter()
            .any(|(other, _, others)| other == zone && !others.iter().any(|name| names.contains(name)));
        if first != *zone && !called_else && !are_adjacent(visits, first, *zone) {
            out.push((first.min(*zone), first.max(*zone)));
        }
    }
    out
}

/// Splits visits during which the narration says that the walk is back in another room. The part
/// after that sentence moves to the named room. (Its appearance was too similar, or it was too
/// short to be separated by appearance.) `taken` returns the time of a frame. Returns `None` if no
/// visit was split.
pub(super) fn split_visits(
    visits: &[Visit],
    narration: &[FusedNarration],
    taken: &dyn Fn(&str) -> Option<u64>,
) -> Option<Vec<Visit>> {
    let mut out: Vec<Visit> = Vec::new();
    for (at, visit) in visits.iter().enumerate() {
        let next = visits.get(at + 1).map(|next| next.zone);
        match narration.iter().find_map(|said| Some((said, returned_to_zone(visit, said, narration)?))) {
            // A sentence just before a change of view announces the next zone.
            Some((said, zone)) if next != Some(zone) => {
                out.extend(split_visit(visit, said.start_ms, zone, taken))
            }
            _ => out.push(visit.clone()),
        }
    }
    (out.len() > visits.len()).then_some(out)
}

/// Returns the only zone with the announced name, for a sentence about a return that is spoken in a
/// zone of another name.
fn returned_to_zone(visit: &Visit, said: &FusedNarration, narration: &[FusedNarration]) -> Option<usize> {
    let within = (visit.interval.start..visit.interval.end).contains(&said.start_ms);
    if !within || said.zone != Some(visit.zone) || !says_return(&said.text) {
        return None;
    }
    let names = rooms_announced(&said.text);
    let earlier = || narration.iter().take_while(|other| other.start_ms < said.start_ms);
    let calls_so =
        |other: &&FusedNarration| rooms_announced(&other.text).iter().any(|name| names.contains(name));
    let mut zones: Vec<usize> = earlier().filter(calls_so).filter_map(|other| other.zone).collect();
    zones.sort_unstable();
    zones.dedup();
    let called_else = earlier()
        .filter(|other| other.zone == Some(visit.zone))
        .any(|other| !rooms_announced(&other.text).is_empty() && !calls_so(&other));
    match zones[..] {
        [zone] if zone != visit.zone && called_else => Some(zone),
        _ => None,
    }
}

/// Splits a visit at a time and assigns the part after it to another zone. That part may have no
/// frame, because views that were kept before are not kept again. Returns the unchanged visit if no
/// frame precedes the split.
fn split_visit(visit: &Visit, at_ms: u64, zone: usize, taken: &dyn Fn(&str) -> Option<u64>) -> Vec<Visit> {
    let (before, after): (Vec<String>, Vec<String>) =
        visit.frame_ids.iter().cloned().partition(|id| taken(id).is_none_or(|t_ms| t_ms < at_ms));
    if before.is_empty() {
        return vec![visit.clone()];
    }
    let part = |zone, start, end, frame_ids| Visit { zone, interval: Interval { start, end }, frame_ids };
    vec![part(visit.zone, visit.interval.start, at_ms, before), part(zone, at_ms, visit.interval.end, after)]
}

/// Returns true if the walk goes directly between two zones. A walk cannot return
/// to a room that it has not left.
fn are_adjacent(visits: &[Visit], a: usize, b: usize) -> bool {
    visits.windows(2).any(|pair| {
        let pair = (pair[0].zone, pair[1].zone);
        pair == (a, b) || pair == (b, a)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins zones of a walk with visits of ten seconds, given as zone number and spoken sentence.
    fn joined(walk: &[(usize, &str)]) -> Vec<(usize, usize)> {
        let start = |at: usize| at as u64 * 10_000;
        let visit = |(at, (zone, _)): (usize, &(usize, &str))| Visit {
            zone: *zone,
            interval: Interval { start: start(at), end: start(at + 1) },
            frame_ids: Vec::new(),
        };
        let sentence = |(at, (zone, text)): (usize, &(usize, &str))| FusedNarration {
            start_ms: start(at) + 1000,
            end_ms: start(at) + 3000,
            text: (*text).to_owned(),
            confidence: 0.9,
            source: domain::document::NarrationSource::Transcribed,
            zone: Some(*zone),
            run_id: "run_speech".to_owned(),
        };
        let visits: Vec<Visit> = walk.iter().enumerate().map(visit).collect();
        let narration: Vec<FusedNarration> = walk.iter().enumerate().map(sentence).collect();
        zones_joined_by_narration(&visits, &narration)
    }

    #[test]
    fn joins_zones_when_narration_expresses_a_return() {
        let (kitchen, hall) = ((0, "This is the kitchen."), (1, "This is the hallway."));
        assert_eq!(joined(&[kitchen, hall, (2, "We are back in the kitchen.")]), [(0, 2)]);
        assert_eq!(
            joined(&[kitchen, hall, (0, "We are back in the kitchen.")]),
            [],
            "appearance has joined them already"
        );
        assert_eq!(joined(&[kitchen, hall, (2, "This is the kitchen.")]), [], "it may be another kitchen");
        assert_eq!(
            joined(&[hall, kitchen, (2, "This is the kitchen."), hall, (3, "Back in the kitchen.")]),
            []
        );
        assert_eq!(joined(&[kitchen, (2, "We are back in the kitchen.")]), [], "from the kitchen");
        assert_eq!(
            joined(&[kitchen, hall, (2, "This is the office."), hall, (2, "We are back in the kitchen.")]),
            [],
            "called an office before"
        );
    }

    #[test]
    fn splits_a_visit_when_narration_expresses_a_return() {
        let (first, second) = (interval(0, 10_000), interval(20_000, 40_000));
        let visit = |zone, interval, frames: &[&str]| Visit {
            zone,
            interval,
            frame_ids: frames.iter().map(|&id| id.to_owned()).collect(),
        };
        let visits = [
            visit(0, first, &["1"]),
            visit(1, interval(10_000, 20_000), &["12"]),
            visit(2, second, &["22", "35"]),
            visit(1, interval(40_000, 50_000), &[]),
        ];
        let said = |text: &str, start_ms: u64, zone| FusedNarration {
            start_ms,
            end_ms: start_ms + 1000,
            text: text.to_owned(),
            confidence: 0.9,
            source: domain::document::NarrationSource::Transcribed,
            zone: Some(zone),
            run_id: "run_speech".to_owned(),
        };
        let split = |last: &str, zone_of_office: usize| {
            let narration = [
                said("This is the kitchen.", 1000, 0),
                said("This is the hallway.", 11_000, 1),
                said("This is the office.", 21_000, zone_of_office),
                said(last, 33_000, 2),
            ];
            let parted = split_visits(&visits, &narration, &|id| id.parse::<u64>().ok().map(|s| s * 1000));
            parted.map(|visits| {
                visits.into_iter().map(|v| (v.zone, v.interval.start, v.frame_ids.len())).collect::<Vec<_>>()
            })
        };
        let parts = vec![(0, 0, 1), (1, 10_000, 1), (2, 20_000, 1), (0, 33_000, 1), (1, 40_000, 0)];
        assert_eq!(split("We are back in the kitchen.", 2), Some(parts));
        assert_eq!(split("We are back in the office.", 2), None, "the walk is there already");
        assert_eq!(split("We are back in the hallway.", 2), None, "the next picture shows it");
        assert_eq!(split("The kitchen has a sink.", 2), None, "the sentence expresses no return");
        assert_eq!(split("We are back in the kitchen.", 1), None, "zone 2 may be the kitchen");
    }

    fn interval(start: u64, end: u64) -> Interval {
        Interval { start, end }
    }
}
