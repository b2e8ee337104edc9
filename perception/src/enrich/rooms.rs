//! Finds the room types of zones, from signs with room names and from narration that names the room
//! in view.

use std::collections::BTreeMap;

use domain::document::{Basis, Claim, Evidence, Narration};

use super::claims::Claims;
use crate::fuse::{Fused, FusedNarration, FusedText};
use crate::naming::{room_on_sign, rooms_announced};

/// Factor for the confidence of a spoken room type: the narration may be about the next room.
const SPOKEN_CONFIDENCE_FACTOR: f64 = 0.95;
/// Factor for the confidence of a room type on a sign: the sign may point elsewhere.
const READ_CONFIDENCE_FACTOR: f64 = 0.9;

/// Returns the claims about the type of each zone, by zone number. `narration` lists the sentences
/// of `sentences` as they appear in the document.
pub(super) fn find_room_types(
    fused: &Fused,
    sentences: &[FusedNarration],
    narration: &[Narration],
    claims: &mut Claims,
) -> BTreeMap<usize, Vec<Claim>> {
    // Confidence and evidence by zone, type and whether it was spoken.
    let mut found = BTreeMap::<(usize, &'static str, bool), (f64, Vec<Evidence>)>::new();
    for (zone, room, text) in find_room_signs(fused) {
        let entry = found.entry((zone, room, false)).or_default();
        entry.0 = entry.0.max(text.confidence);
        entry.1.extend(claims.valid_evidence(&text.sightings));
    }
    for (sentence, narrated) in sentences.iter().zip(narration) {
        let Some(zone) = sentence.zone.filter(|z| *z < fused.zones.len()) else { continue };
        for room in rooms_announced(&sentence.text) {
            let entry = found.entry((zone, room, true)).or_default();
            entry.0 = entry.0.max(sentence.confidence);
            entry.1.extend(claims.narration(narrated));
        }
    }
    let mut out = BTreeMap::<usize, Vec<Claim>>::new();
    for ((zone, room, spoken), (confidence, evidence)) in found {
        let basis = if spoken { Basis::Spoken } else { Basis::Read };
        let claim = claims.make(
            room,
            confidence * if spoken { SPOKEN_CONFIDENCE_FACTOR } else { READ_CONFIDENCE_FACTOR },
            basis,
            evidence,
            "run_rooms",
        );
        out.entry(zone).or_default().extend(claim);
    }
    for list in out.values_mut() {
        // "This is the hallway" is about the current zone; a sign there may name the room behind
        // it.
        let spoken = spoken_values(list);
        list.retain(|c| spoken.is_empty() || spoken.contains(&c.value));
        list.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.id.cmp(&b.id)));
    }
    out
}

/// Returns the signs that name a room: zone, room type and sign.
fn find_room_signs(fused: &Fused) -> Vec<(usize, &'static str, &FusedText)> {
    let in_zone = |text: &FusedText| text.zone.filter(|zone| *zone < fused.zones.len());
    let mut signs: Vec<(usize, &'static str, &FusedText)> = (fused.texts.iter())
        .filter_map(|text| Some((in_zone(text)?, room_on_sign(&text.raw)?, text)))
        .collect();
    // If signs in one zone name two rooms, a sign that was only read while entering or leaving
    // belongs to the adjacent room.
    let zones_beyond: Vec<Option<usize>> =
        signs.iter().map(|(zone, _, text)| zone_beyond_door(fused, *zone, text)).collect();
    let signs_inside: Vec<(usize, &'static str)> = signs
        .iter()
        .zip(&zones_beyond)
        .filter(|(_, to)| to.is_none())
        .map(|((zone, room, _), _)| (*zone, *room))
        .collect();
    for ((zone, room, _), to) in signs.iter_mut().zip(zones_beyond) {
        let other = signs_inside.iter().any(|(inside, name)| inside == zone && name != room);
        *zone = to.filter(|_| other).unwrap_or(*zone);
    }
    signs
}

/// Returns the zone beyond the door, for a sign that was only seen in the first or last frame of
/// visits of `zone`.
fn zone_beyond_door(fused: &Fused, zone: usize, text: &FusedText) -> Option<usize> {
    let next_to = |frame: &str| {
        let (at, visit) = fused
            .visits
            .iter()
            .enumerate()
            .find(|(_, v)| v.zone == zone && v.frame_ids.iter().any(|id| id == frame))?;
        let zone_of = |other: Option<usize>| fused.visits.get(other?).map(|visit| visit.zone);
        if visit.frame_ids.len() > 1 && visit.frame_ids.first().is_some_and(|first| first == frame) {
            zone_of(at.checked_sub(1))
        } else if visit.frame_ids.last().is_some_and(|last| last == frame) {
            zone_of(Some(at + 1))
        } else {
            None
        }
    };
    let frames = text.sightings.iter().filter_map(|seen| seen.frame_id.as_deref());
    let mut zones = frames.map(next_to);
    let first = zones.next()??;
    zones.all(|zone| zone == Some(first)).then_some(first)
}

fn spoken_values(list: &[Claim]) -> Vec<String> {
    list.iter().filter(|c| c.basis == Basis::Spoken).map(|c| c.value.clone()).collect()
}
