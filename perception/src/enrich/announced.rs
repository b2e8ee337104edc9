//! Whoever shows a place names a room as they enter it, often a moment before the picture changes.

use domain::media::InputKind;

use crate::fuse::{Fused, FusedNarration, Visit};
use crate::naming::named;

/// How long before the next room comes into view it may be named, in milliseconds.
const AHEAD_MS: u64 = 2500;

/// What was said, each sentence with the zone it is about: a name that is said at the end of a stay, in a zone that
/// other sentences call something else, is that of the zone that comes next.
pub(super) fn sentences(fused: &Fused, kind: InputKind) -> Vec<FusedNarration> {
    let mut out = fused.narration.clone();
    // Between photos no time passes that could be told.
    if kind != InputKind::Video {
        return out;
    }
    let names: Vec<Vec<&str>> = out.iter().map(|sentence| named(&sentence.text)).collect();
    for (at, sentence) in out.iter_mut().enumerate() {
        let Some(zone) = sentence.zone.filter(|_| !names[at].is_empty()) else { continue };
        let Some(next) = entered_soon(sentence, zone, &fused.visits) else { continue };
        // What else is said of a zone: whether it agrees with this sentence.
        let others = |zone: usize| {
            let names = names.iter().enumerate().zip(&fused.narration);
            names
                .filter(move |((other, names), said)| {
                    *other != at && said.zone == Some(zone) && !names.is_empty()
                })
                .map(|((_, names), _)| names)
        };
        let agrees = |other: &Vec<&str>| other.iter().any(|name| names[at].contains(name));
        let is_strange_here = others(zone).next().is_some() && !others(zone).any(agrees);
        if is_strange_here && others(next).all(agrees) {
            sentence.zone = Some(next);
        }
    }
    out
}

/// The zone that is entered soon after a sentence that was said in another.
fn entered_soon(sentence: &FusedNarration, zone: usize, visits: &[Visit]) -> Option<usize> {
    let stays = visits.iter().enumerate().filter(|(_, visit)| visit.zone == zone);
    let (at, _) = stays.max_by_key(|(_, visit)| visit.shares(sentence.start_ms, sentence.end_ms))?;
    let next = visits.get(at + 1)?;
    let soon = next.interval.start.saturating_sub(sentence.end_ms) <= AHEAD_MS;
    (soon && next.zone != zone).then_some(next.zone)
}

#[cfg(test)]
mod tests {
    use domain::document::Interval;

    use super::*;

    /// Sentences, each of two seconds from its second on, in a walk through zones 0, 1 and 0 of ten seconds each.
    fn zones_of(said: &[(u64, &str)]) -> Vec<Option<usize>> {
        let visit = |(at, zone): (usize, &usize)| {
            let start = at as u64 * 10_000;
            Visit { zone: *zone, interval: Interval { start, end: start + 10_000 }, frame_ids: Vec::new() }
        };
        let sentence = |(start, text): &(u64, &str)| FusedNarration {
            start_ms: start * 1000,
            end_ms: start * 1000 + 2000,
            text: (*text).to_owned(),
            confidence: 0.9,
            source: domain::document::NarrationSource::Transcribed,
            zone: Some([0, 1, 0][*start as usize / 10]),
            run_id: "run_speech".to_owned(),
        };
        let fused = Fused {
            visits: [0, 1, 0].iter().enumerate().map(visit).collect(),
            narration: said.iter().map(sentence).collect(),
            ..Fused::default()
        };
        sentences(&fused, InputKind::Video).into_iter().map(|sentence| sentence.zone).collect()
    }

    #[test]
    fn a_room_is_named_as_it_is_entered() {
        let (here, next) = (Some(0), Some(1));
        assert_eq!(
            zones_of(&[(1, "This is the bedroom."), (8, "This is the bathroom.")]),
            [here, next],
            "said before the picture changes"
        );
        assert_eq!(
            zones_of(&[(1, "This is the bedroom."), (4, "This is the bathroom.")]),
            [here, here],
            "too early"
        );
        assert_eq!(zones_of(&[(8, "This is the bathroom.")]), [here], "nothing else is said of the zone");
        assert_eq!(
            zones_of(&[(1, "This is the bedroom."), (8, "It has a bathtub.")]),
            [here, here],
            "no room is named"
        );
        assert_eq!(
            zones_of(&[
                (1, "This is the bedroom."),
                (8, "This is the bathroom."),
                (12, "This is the kitchen.")
            ]),
            [here, here, next],
            "the next zone is called something else"
        );
        assert_eq!(
            zones_of(&[
                (1, "This is the hallway."),
                (12, "This is the bathroom."),
                (18, "We are back in the hallway.")
            ]),
            [here, next, here],
            "on the way back"
        );
    }
}
