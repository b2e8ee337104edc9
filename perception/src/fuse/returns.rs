//! Stays that words say are in a room that was shown before: "We are back in the kitchen."

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

/// Whether one was walked to from the other: nobody comes back to where they are.
fn beside(visits: &[Visit], a: usize, b: usize) -> bool {
    visits.windows(2).any(|pair| {
        let pair = (pair[0].zone, pair[1].zone);
        pair == (a, b) || pair == (b, a)
    })
}

#[cfg(test)]
mod tests {
    use domain::document::Interval;

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
            source: "transcribed".to_owned(),
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
}
