//! Stays that words say are in a room that was shown before: "We are back in the kitchen."

use domain::document::Interval;

use super::{FusedNarration, Visit};
use crate::naming::{comes_back, named};

/// Zones that are one room by what was said, the one that was visited first before the other. Looks have told them apart;
/// words join them only where they leave no choice: one earlier zone was called so, and the later one is called
/// nothing else.
pub(super) fn said(visits: &[Visit], narration: &[FusedNarration]) -> Vec<(usize, usize)> {
    let named: Vec<(usize, &FusedNarration, Vec<&str>)> = narration
        .iter()
        .filter_map(|said| Some((said.zone?, said, named(&said.text))))
        .filter(|(_, _, names)| !names.is_empty())
        .collect();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (at, (zone, said, names)) in named.iter().enumerate() {
        if !comes_back(&said.text) {
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
        if first != *zone && !called_else && !beside(visits, first, *zone) {
            out.push((first.min(*zone), first.max(*zone)));
        }
    }
    out
}

/// Stays in which somebody says that they are back in another room: those from there on are stays in that room. Looks did not
/// tell the two apart, or the rest of the stay was too short for them. `taken` says when a frame was taken.
pub(super) fn parted(
    visits: &[Visit],
    narration: &[FusedNarration],
    taken: &dyn Fn(&str) -> Option<u64>,
) -> Option<Vec<Visit>> {
    let mut out: Vec<Visit> = Vec::new();
    for (at, visit) in visits.iter().enumerate() {
        let next = visits.get(at + 1).map(|next| next.zone);
        match narration.iter().find_map(|said| Some((said, back_elsewhere(visit, said, narration)?))) {
            // Who says so just before the picture changes is about to be there.
            Some((said, zone)) if next != Some(zone) => out.extend(halves(visit, said.start_ms, zone, taken)),
            _ => out.push(visit.clone()),
        }
    }
    (out.len() > visits.len()).then_some(out)
}

/// The one zone that was called so before, for a sentence that comes back to it in a stay in a zone that was called
/// something else.
fn back_elsewhere(visit: &Visit, said: &FusedNarration, narration: &[FusedNarration]) -> Option<usize> {
    let within = (visit.interval.start..visit.interval.end).contains(&said.start_ms);
    if !within || said.zone != Some(visit.zone) || !comes_back(&said.text) {
        return None;
    }
    let names = named(&said.text);
    let earlier = || narration.iter().take_while(|other| other.start_ms < said.start_ms);
    let calls_so = |other: &&FusedNarration| named(&other.text).iter().any(|name| names.contains(name));
    let mut zones: Vec<usize> = earlier().filter(calls_so).filter_map(|other| other.zone).collect();
    zones.sort_unstable();
    zones.dedup();
    let called_else = earlier()
        .filter(|other| other.zone == Some(visit.zone))
        .any(|other| !named(&other.text).is_empty() && !calls_so(&other));
    match zones[..] {
        [zone] if zone != visit.zone && called_else => Some(zone),
        _ => None,
    }
}

/// A stay up to a moment, and the rest of it in another zone (which may be without a frame of its own: what was seen before
/// is not kept again); whole where nothing is left before.
fn halves(visit: &Visit, at_ms: u64, zone: usize, taken: &dyn Fn(&str) -> Option<u64>) -> Vec<Visit> {
    let (before, after): (Vec<String>, Vec<String>) =
        visit.frame_ids.iter().cloned().partition(|id| taken(id).is_none_or(|t_ms| t_ms < at_ms));
    if before.is_empty() {
        return vec![visit.clone()];
    }
    let part = |zone, start, end, frame_ids| Visit { zone, interval: Interval { start, end }, frame_ids };
    vec![part(visit.zone, visit.interval.start, at_ms, before), part(zone, at_ms, visit.interval.end, after)]
}

/// Whether one was walked to from the other: nobody comes back to where they are.
fn beside(visits: &[Visit], a: usize, b: usize) -> bool {
    visits.windows(2).any(|pair| {
        let pair = (pair[0].zone, pair[1].zone);
        pair == (a, b) || pair == (b, a)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said, a sentence in each stay of ten seconds; stays by the number of their zone.
    fn joined(stays: &[(usize, &str)]) -> Vec<(usize, usize)> {
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
        let visits: Vec<Visit> = stays.iter().enumerate().map(visit).collect();
        let narration: Vec<FusedNarration> = stays.iter().enumerate().map(sentence).collect();
        said(&visits, &narration)
    }

    #[test]
    fn words_join_what_looks_told_apart() {
        let (kitchen, hall) = ((0, "This is the kitchen."), (1, "This is the hallway."));
        assert_eq!(joined(&[kitchen, hall, (2, "We are back in the kitchen.")]), [(0, 2)]);
        assert_eq!(joined(&[kitchen, hall, (0, "We are back in the kitchen.")]), [], "looks knew it");
        assert_eq!(
            joined(&[kitchen, hall, (2, "This is the kitchen.")]),
            [],
            "another kitchen, for all we know"
        );
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
    fn words_part_a_stay_that_looks_did_not() {
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
        let told = |last: &str, zone_of_office: usize| {
            let narration = [
                said("This is the kitchen.", 1000, 0),
                said("This is the hallway.", 11_000, 1),
                said("This is the office.", 21_000, zone_of_office),
                said(last, 33_000, 2),
            ];
            let parted = parted(&visits, &narration, &|id| id.parse::<u64>().ok().map(|s| s * 1000));
            parted.map(|visits| {
                visits.into_iter().map(|v| (v.zone, v.interval.start, v.frame_ids.len())).collect::<Vec<_>>()
            })
        };
        let parts = vec![(0, 0, 1), (1, 10_000, 1), (2, 20_000, 1), (0, 33_000, 1), (1, 40_000, 0)];
        assert_eq!(told("We are back in the kitchen.", 2), Some(parts));
        assert_eq!(told("We are back in the office.", 2), None, "where they are");
        assert_eq!(told("We are back in the hallway.", 2), None, "the next picture shows it");
        assert_eq!(told("The kitchen has a sink.", 2), None, "nobody came back");
        assert_eq!(told("We are back in the kitchen.", 1), None, "it may be the kitchen, for all we know");
    }

    fn interval(start: u64, end: u64) -> Interval {
        Interval { start, end }
    }
}
