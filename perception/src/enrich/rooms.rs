//! What kind of room a zone is: only where a sign reads like a room's name, or where words name the room
//! that is in view.

use std::collections::BTreeMap;

use domain::document::{Basis, Claim, Evidence, Narration};

use super::claims::Claims;
use super::lexicon::{cue_at, determines, elsewhere, pointed_to, room_at, words};
use crate::fuse::{Fused, FusedNarration};

/// Words a sign may have besides the room's name ("Meeting Room 2", "Staff Kitchen").
const MAX_OTHER_WORDS: usize = 2;
/// Words that may stand between a cue and a name besides articles ("this is the small, bright kitchen").
const MAX_ADJECTIVES: usize = 3;
/// Words after a name in which something may say that the room is elsewhere.
const LOOK_AHEAD: usize = 4;

/// The types of each zone, by its number; `narration` is what was `said`, as the document has it.
pub(super) fn types(
    fused: &Fused,
    said: &[FusedNarration],
    narration: &[Narration],
    claims: &mut Claims,
) -> BTreeMap<usize, Vec<Claim>> {
    // By zone, type and basis: confidence and evidence.
    let mut found = BTreeMap::<(usize, &'static str, bool), (f64, Vec<Evidence>)>::new();
    for text in &fused.texts {
        let Some((zone, room)) = text.zone.filter(|z| *z < fused.zones.len()).zip(on_sign(&text.raw)) else {
            continue;
        };
        let entry = found.entry((zone, room, false)).or_default();
        entry.0 = entry.0.max(text.confidence);
        entry.1.extend(claims.known(&text.sightings));
    }
    for (piece, narrated) in said.iter().zip(narration) {
        let Some(zone) = piece.zone.filter(|z| *z < fused.zones.len()) else { continue };
        for room in named(&piece.text) {
            let entry = found.entry((zone, room, true)).or_default();
            entry.0 = entry.0.max(piece.confidence);
            entry.1.extend(claims.said(narrated));
        }
    }
    let mut out = BTreeMap::<usize, Vec<Claim>>::new();
    for ((zone, room, spoken), (confidence, evidence)) in found {
        let basis = if spoken { Basis::Spoken } else { Basis::Read };
        // What is said may be of the next room; what is read may be a sign that points elsewhere.
        let claim =
            claims.make(room, confidence * if spoken { 0.95 } else { 0.9 }, basis, evidence, "run_rooms");
        out.entry(zone).or_default().extend(claim);
    }
    for list in out.values_mut() {
        // Who says "this is the hallway" means where they stand; a sign there may mean what is behind it.
        let said = spoken(list);
        list.retain(|c| said.is_empty() || said.contains(&c.value));
        list.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.id.cmp(&b.id)));
    }
    out
}

fn spoken(list: &[Claim]) -> Vec<String> {
    list.iter().filter(|c| c.basis == Basis::Spoken).map(|c| c.value.clone()).collect()
}

/// The room that a sign names.
pub(super) fn on_sign(raw: &str) -> Option<&'static str> {
    // An arrow says that the room is where it points.
    if raw.contains(['←', '→', '↑', '↓', '»', '«', '>', '<', '?', '!']) {
        return None;
    }
    let list = words(raw);
    let (at, (room, length)) =
        (0..list.len()).find_map(|at| room_at(&list[at..]).map(|found| (at, found)))?;
    let others = list.len() - length;
    let fits = others <= MAX_OTHER_WORDS
        && list.iter().enumerate().all(|(i, word)| {
            (at..at + length).contains(&i)
                || !(elsewhere(word) || matches!(word.as_str(), "to" | "no" | "for" | "of" | "and"))
        });
    (fits && !pointed_to(room)).then_some(room)
}

/// The rooms that a sentence says one is in. A mere mention ("the bedroom is upstairs") names nothing.
pub(super) fn named(sentence: &str) -> Vec<&'static str> {
    let mut out = Vec::new();
    for clause in sentence.split([',', ';', ':', '.', '!', '?', '–', '—']) {
        let list = words(clause);
        for start in 0..list.len() {
            let Some(cue) = cue_at(&list[start..]) else { continue };
            if let Some(room) = after(&list[start + cue..]).filter(|room| !out.contains(room)) {
                out.push(room);
            }
            break;
        }
    }
    if out.is_empty() {
        out.extend(leads(sentence));
    }
    out
}

/// The name that follows a cue.
fn after(list: &[String]) -> Option<&'static str> {
    let mut adjectives = 0;
    for at in 0..list.len() {
        if let Some((room, length)) = room_at(&list[at..]) {
            let rest = &list[at + length..];
            // "the kitchen door", "the bedroom upstairs"; not "the kitchen with a table by the window".
            let cut = rest
                .iter()
                .position(|w| matches!(w.as_str(), "with" | "and" | "where" | "which" | "it" | "that"));
            let near = &rest[..cut.unwrap_or(rest.len()).min(LOOK_AHEAD)];
            return (!near.iter().any(|w| elsewhere(w))).then_some(room);
        }
        if matches!(
            list[at].as_str(),
            "to" | "of" | "from" | "near" | "by" | "for" | "not" | "no" | "where" | "at" | "on" | "door"
        ) {
            return None;
        }
        adjectives += usize::from(!determines(&list[at]));
        if adjectives > MAX_ADJECTIVES {
            return None;
        }
    }
    None
}

/// A sentence that is nothing but a name: "The kitchen." or "And now the bathroom."
fn leads(sentence: &str) -> Option<&'static str> {
    let list = words(sentence);
    let start = list
        .iter()
        .position(|w| !determines(w) && !matches!(w.as_str(), "and" | "so" | "okay" | "ok" | "finally"))?;
    let (room, length) = room_at(&list[start..])?;
    (start + length == list.len()).then_some(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_name_a_room() {
        for (raw, room) in [
            ("KITCHEN", Some("kitchen")),
            ("Meeting Room 2", Some("meeting room")),
            ("WC", Some("toilet")),
            ("Staff Kitchen", Some("kitchen")),
            ("→ Kitchen", None),
            ("To the kitchen", None),
            ("Please keep this kitchen clean and tidy", None),
            ("Kitchen door", None),
            ("EXIT", None),
            ("RECEPTION", None),
        ] {
            assert_eq!(on_sign(raw), room, "{raw}");
        }
    }

    #[test]
    fn words_that_name_the_room_in_view_and_those_that_only_mention_one() {
        for (sentence, rooms) in [
            ("This is the kitchen.", &["kitchen"][..]),
            ("And here we have a small bright bathroom with a window.", &["bathroom"]),
            ("Welcome to our living room", &["living room"]),
            ("Now we are in the master bedroom, and it has a balcony.", &["bedroom"]),
            ("We're back in the hallway", &["hallway"]),
            ("And now, the office.", &["office"]),
            ("The bedroom is upstairs.", &[]),
            ("This is the door to the kitchen.", &[]),
            ("This is the kitchen door", &[]),
            ("The kitchen is next to the office.", &[]),
            ("You can see the garden from here.", &[]),
            ("Here is the way to the bathroom.", &[]),
            ("There is a sink in the bathroom upstairs", &[]),
            ("This is not the kitchen", &[]),
        ] {
            assert_eq!(named(sentence), rooms, "{sentence}");
        }
    }
}
