//! Assigns the rooms that narration names to zones.
//!
//! A room in view is the zone at that moment. An announced room is the zone behind the next
//! passage. Rooms that are mentioned otherwise, or announced and not entered, name no zone.

use domain::media::InputKind;

use super::super::languages::Languages;
use crate::fuse::passages::Passage;
use crate::fuse::{Fused, FusedNarration, Visit};
use crate::naming::{Language, Stance, spoken_rooms};

/// Longest time between a room in view that is named at the end of a visit and the next visit, in
/// milliseconds. People often name a room just before it comes into view.
const MAX_LEAD_MS: u64 = 2500;
/// Longest time between an announcement and the passage into the announced room, in milliseconds.
const MAX_ANNOUNCEMENT_MS: u64 = 8000;
/// Time by which a passage may precede the announcement: people announce a room while they enter
/// it. In milliseconds.
const MAX_LATE_MS: u64 = 1500;

/// A room type that narration gives to a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Number of the sentence.
    pub(crate) sentence: usize,
    /// Number of the zone.
    pub(crate) zone: usize,
    /// Room type.
    pub(crate) room: &'static str,
    /// Whether the room is in view or next.
    pub(crate) stance: Stance,
}

/// A named room before its zone is known.
struct Named {
    sentence: usize,
    room: &'static str,
    stance: Stance,
    /// Start of the sentence.
    start_ms: u64,
    /// Time of the name.
    at_ms: u64,
}

/// Returns the narration with corrected zones, and the room types that it gives to zones. A room in
/// view that is named at the end of a visit belongs to the next zone if other sentences name the
/// current zone differently.
pub(crate) fn room_statements(
    fused: &Fused,
    mut narration: Vec<FusedNarration>,
    kind: InputKind,
    languages: &Languages,
) -> (Vec<FusedNarration>, Vec<Statement>) {
    let named: Vec<Named> = narration
        .iter()
        .enumerate()
        .flat_map(|(number, sentence)| {
            let length = sentence.end_ms.saturating_sub(sentence.start_ms) as f64;
            let language = Language::of_tag(languages.of_speech(&sentence.source, &sentence.run_id));
            spoken_rooms(&sentence.text, language).into_iter().map(move |spoken| {
                let at_ms = sentence.start_ms + (length * spoken.position.clamp(0.0, 1.0)) as u64;
                Named {
                    sentence: number,
                    room: spoken.room,
                    stance: spoken.stance,
                    start_ms: sentence.start_ms,
                    at_ms,
                }
            })
        })
        .collect();
    if kind == InputKind::Video {
        correct_zones(&mut narration, &named, &fused.visits);
    }
    let zones = fused.zones.len();
    let statement = |named: &Named| {
        let zone = match named.stance {
            Stance::Present => narration[named.sentence].zone,
            Stance::Announced => zone_entered(named, &fused.passages),
        };
        let zone = zone.filter(|zone| *zone < zones)?;
        Some(Statement { sentence: named.sentence, zone, room: named.room, stance: named.stance })
    };
    let statements = named.iter().filter_map(statement).collect();
    (narration, statements)
}

/// Returns the zone behind the first passage after an announcement.
fn zone_entered(named: &Named, passages: &[Passage]) -> Option<usize> {
    let soon = named.start_ms.saturating_sub(MAX_LATE_MS)..=named.at_ms + MAX_ANNOUNCEMENT_MS;
    passages.iter().find(|passage| soon.contains(&passage.t_ms)).map(|passage| passage.to)
}

fn correct_zones(narration: &mut [FusedNarration], named: &[Named], visits: &[Visit]) {
    let spoken_in: Vec<Option<usize>> = narration.iter().map(|sentence| sentence.zone).collect();
    let present = |number: usize| -> Vec<&str> {
        let of_sentence = |n: &&Named| n.sentence == number && n.stance == Stance::Present;
        named.iter().filter(of_sentence).map(|named| named.room).collect()
    };
    let names: Vec<Vec<&str>> = (0..narration.len()).map(present).collect();
    for (at, sentence) in narration.iter_mut().enumerate() {
        let Some(zone) = sentence.zone.filter(|_| !names[at].is_empty()) else { continue };
        let Some(next) = zone_entered_soon(sentence, zone, visits) else { continue };
        // Room names in the other sentences of a zone.
        let others = |zone: usize| {
            let names = names.iter().enumerate().zip(&spoken_in);
            names
                .filter(move |((other, names), spoken_in)| {
                    *other != at && **spoken_in == Some(zone) && !names.is_empty()
                })
                .map(|((_, names), _)| names)
        };
        let agrees = |other: &Vec<&str>| other.iter().any(|name| names[at].contains(name));
        let is_unusual_here = others(zone).next().is_some() && !others(zone).any(agrees);
        if is_unusual_here && others(next).all(agrees) {
            sentence.zone = Some(next);
        }
    }
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
    use domain::document::{Interval, NarrationSource};

    use super::*;
    use crate::fuse::FusedZone;

    /// Returns a walk through zones 0, 1 and 0 of ten seconds each, with sentences of two seconds
    /// that are given by start in seconds and text.
    fn walk(sentences: &[(u64, &str)]) -> Fused {
        let visit = |(at, zone): (usize, &usize)| {
            let start = at as u64 * 10_000;
            Visit { zone: *zone, interval: Interval { start, end: start + 10_000 }, frame_ids: Vec::new() }
        };
        let sentence = |(start, text): &(u64, &str)| FusedNarration {
            start_ms: start * 1000,
            end_ms: start * 1000 + 2000,
            text: (*text).to_owned(),
            confidence: 0.9,
            source: NarrationSource::Client,
            zone: Some([0, 1, 0][*start as usize / 10]),
            run_id: "run_speech".to_owned(),
        };
        let zone = || FusedZone {
            intervals: Vec::new(),
            frame_ids: Vec::new(),
            best_frame_id: String::new(),
            coverage: 1.0,
        };
        let passage = |t_ms, from, to| Passage { t_ms, from, to, doorway: true };
        Fused {
            zones: vec![zone(), zone()],
            passages: vec![passage(10_000, 0, 1), passage(20_000, 1, 0)],
            visits: [0, 1, 0].iter().enumerate().map(visit).collect(),
            narration: sentences.iter().map(sentence).collect(),
            ..Fused::default()
        }
    }

    fn stated(fused: &Fused, kind: InputKind, language: &str) -> (Vec<FusedNarration>, Vec<Statement>) {
        room_statements(fused, fused.narration.clone(), kind, &Languages::new(language, &[]))
    }

    fn zones_of(sentences: &[(u64, &str)]) -> Vec<Option<usize>> {
        let (narration, _) = stated(&walk(sentences), InputKind::Video, "en");
        narration.into_iter().map(|sentence| sentence.zone).collect()
    }

    fn rooms(sentences: &[(u64, &str)]) -> Vec<(usize, &'static str)> {
        let (_, statements) = stated(&walk(sentences), InputKind::Video, "en");
        statements.into_iter().map(|statement| (statement.zone, statement.room)).collect()
    }

    #[test]
    fn a_room_named_just_before_it_is_in_view_is_the_next_zone() {
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

    #[test]
    fn an_announced_room_is_the_zone_behind_the_next_passage() {
        assert_eq!(rooms(&[(6, "Next is the bathroom.")]), [(1, "bathroom")]);
        assert_eq!(rooms(&[(11, "Let's go into the office.")]), [(1, "office")], "while entering");
        assert_eq!(rooms(&[(0, "Next is the bathroom.")]), [], "no passage within eight seconds");
        assert_eq!(rooms(&[(22, "Next is the cellar.")]), [], "announced and not entered");
        assert_eq!(rooms(&[(6, "The bathroom is upstairs.")]), [], "a mention");
        assert_eq!(rooms(&[(6, "This is the bathroom.")]), [(0, "bathroom")]);
    }

    #[test]
    fn the_declared_language_decides_which_names_count() {
        let walk = walk(&[(1, "Das ist das Bad.")]);
        let rooms = |language| {
            let (_, statements) = stated(&walk, InputKind::Video, language);
            statements.into_iter().map(|statement| statement.room).collect::<Vec<_>>()
        };
        assert_eq!((rooms("de-DE"), rooms("en")), (vec!["bathroom"], vec![]));
    }
}
