//! What kind of room a zone is: only where a sign reads like a room's name, or where words name the room
//! that is in view.

use std::collections::BTreeMap;

use domain::document::{Basis, Claim, Evidence, Narration};

use super::claims::Claims;
use crate::fuse::{Fused, FusedNarration};
use crate::naming::lexicon::{elsewhere, pointed_to, room_at, words};
use crate::naming::named;

/// Words a sign may have besides the room's name ("Meeting Room 2", "Staff Kitchen").
const MAX_OTHER_WORDS: usize = 2;

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
}
