//! Assigns announcements to the room that they name. People often name a room just before it comes
//! into view.

use domain::media::InputKind;

use crate::fuse::{Fused, FusedNarration, Visit};
use crate::naming::rooms_announced;

/// Longest time between an announcement and the view of the room, in milliseconds.
const MAX_LEAD_MS: u64 = 2500;

/// Returns the narration with corrected zones. A room name at the end of a visit belongs to the
/// next zone if other sentences name the current zone differently.
pub(super) fn assign_to_entered_zone(fused: &Fused, kind: InputKind) -> Vec<FusedNarration> {
    let mut out = fused.narration.clone();
    // The time between photos is unknown.
    if kind != InputKind::Video {
        return out;
    }
    let names: Vec<Vec<&str>> = out.iter().map(|sentence| rooms_announced(&sentence.text)).collect();
    for (at, sentence) in out.iter_mut().enumerate() {
        let Some(zone) = sentence.zone.filter(|_| !names[at].is_empty()) else { continue };
        let Some(next) = zone_entered_soon(sentence, zone, &fused.visits) else { continue };
        // Room names in the other sentences of a zone.
        let others = |zone: usize| {
            let names = names.iter().enumerate().zip(&fused.narration);
            names
                .filter(move |((other, names), spoken)| {
                    *other != at && spoken.zone == Some(zone) && !names.is_empty()
                })
                .map(|((_, names), _)| names)
        };
        let agrees = |other: &Vec<&str>| other.iter().any(|name| names[at].contains(name));
        let is_unusual_here = others(zone).next().is_some() && !others(zone).any(agrees);
        if is_unusual_here && others(next).all(agrees) {
            sentence.zone = Some(next);
        }
    }
    out
}

/// Returns the zone that is entered soon after a sentence that was spoken in another.
fn zone_entered_soon(sentence: &FusedNarration, zone: usize, visits: &[Visit]) -> Option<usize> {
    let visits_there = visits.iter().enumerate().filter(|(_, visit)| visit.zone == zone);
    let (at, _) =
        visits_there.max_by_key(|(_, visit)| visit.overlap_ms(sentence.start_ms, sentence.end_ms))?;
    let next = visits.get(at + 1)?;
    let soon = next.interval.start.saturating_sub(sentence.end_ms) <= MAX_LEAD_MS;
    (soon && next.zone != zone).then_some(next.zone)
}

#[cfg(test)]
mod tests {
    use domain::document::Interval;

    use super::*;

    /// Returns the zones of sentences of two seconds, given by start in seconds and text, in a walk
    /// through zones 0, 1 and 0 of ten seconds each.
    fn zones_of(sentences: &[(u64, &str)]) -> Vec<Option<usize>> {
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
            narration: sentences.iter().map(sentence).collect(),
            ..Fused::default()
        };
        assign_to_entered_zone(&fused, InputKind::Video).into_iter().map(|sentence| sentence.zone).collect()
    }

    #[test]
    fn assigns_announcements_to_the_entered_zone() {
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
