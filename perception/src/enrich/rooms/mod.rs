//! Finds the room types of zones: from narration, from plates, and from objects.
//!
//! The sources rank by how often each is right. A zone takes its types from the first source that
//! names it; a lower source is dropped where it contradicts a higher one.

mod furniture;
mod room_signs;
mod statements;

use std::collections::BTreeMap;

use domain::document::{Basis, Claim, Evidence, Narration};

use super::claims::Claims;
use super::languages::Languages;
use crate::fuse::{Fused, FusedNarration};
use crate::naming::Stance;
use furniture::Inferred;
use room_signs::{Place, RoomSign};
pub(super) use statements::{Statement, room_statements};

/// Confidence of a room that is said to be in view, relative to the confidence of the sentence.
const PRESENT_CONFIDENCE_FACTOR: f64 = 0.95;
/// The same for an announced room: the walk may pass through another room first.
const ANNOUNCED_CONFIDENCE_FACTOR: f64 = 0.85;
/// Confidence of a plate at the door through which the zone was entered, relative to the confidence
/// of the text.
const DOOR_CONFIDENCE_FACTOR: f64 = 0.85;
/// The same for a plate inside the zone: it may belong to a door that the walk did not use.
const INSIDE_CONFIDENCE_FACTOR: f64 = 0.7;
/// The same where other plates of the space name the room that they hang in.
const CONFIRMED_INSIDE_CONFIDENCE_FACTOR: f64 = 0.9;
/// Confidence of an inferred room, relative to its posterior and to the certainty of the objects that
/// decide it. Objects of a room are not independent.
const INFERRED_CONFIDENCE_FACTOR: f64 = 0.9;

/// Room types of one zone with their confidence and evidence.
type Found = BTreeMap<&'static str, (f64, Vec<Evidence>)>;

/// The narration and the rooms that it names.
pub(super) struct SpokenTypes<'a> {
    /// Sentences with their zones.
    pub(super) sentences: &'a [FusedNarration],
    /// Rooms that they name.
    pub(super) statements: &'a [Statement],
    /// The sentences as they appear in the document.
    pub(super) narration: &'a [Narration],
}

/// Returns the claims about the type of each zone, by zone number.
pub(super) fn find_room_types(
    fused: &Fused,
    languages: &Languages,
    narrated: &SpokenTypes,
    claims: &mut Claims,
) -> BTreeMap<usize, Vec<Claim>> {
    let signs = room_signs::room_signs(fused, claims.kind(), languages.declared);
    let inferred = furniture::rooms_by_furniture(fused);
    let spoken: Vec<Found> =
        (0..fused.zones.len()).map(|zone| spoken_types(zone, narrated, claims)).collect();
    let convention = Convention::of(&signs, &spoken, &inferred);
    let mut out = BTreeMap::<usize, Vec<Claim>>::new();
    for (zone, spoken) in spoken.into_iter().enumerate() {
        let inferred = inferred.get(&zone);
        let read = read_types(zone, &signs, convention, inferred, claims);
        // "This is the hallway" is about the current zone; a plate there may name another room.
        let agreeing = |(room, _): &(&&str, _)| spoken.is_empty() || spoken.contains_key(**room);
        let mut list: Vec<Claim> = Vec::new();
        for (room, (confidence, evidence)) in read.iter().filter(agreeing) {
            list.extend(claims.make(room, *confidence, Basis::Read, evidence.clone(), "run_rooms"));
        }
        for (room, (confidence, evidence)) in &spoken {
            list.extend(claims.make(room, *confidence, Basis::Spoken, evidence.clone(), "run_rooms"));
        }
        if let Some(inferred) = inferred.filter(|_| list.is_empty()) {
            list.extend(inferred_claim(inferred, claims));
        }
        list.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.id.cmp(&b.id)));
        if !list.is_empty() {
            out.insert(zone, list);
        }
    }
    out
}

/// Returns the types that narration gives to a zone: the rooms said to be in view, or else one
/// announced room.
fn spoken_types(zone: usize, narrated: &SpokenTypes, claims: &Claims) -> Found {
    let SpokenTypes { sentences, statements, narration } = narrated;
    let of_stance = |stance: Stance, factor: f64| {
        let mut found = Found::new();
        for statement in statements.iter().filter(|s| s.zone == zone && s.stance == stance) {
            let entry = found.entry(statement.room).or_default();
            entry.0 = entry.0.max(sentences[statement.sentence].confidence * factor);
            entry.1.extend(claims.narration(&narration[statement.sentence]));
        }
        found
    };
    let mut present = of_stance(Stance::Present, PRESENT_CONFIDENCE_FACTOR);
    let announced = of_stance(Stance::Announced, ANNOUNCED_CONFIDENCE_FACTOR);
    if present.is_empty() {
        return if announced.len() == 1 { announced } else { Found::new() };
    }
    for (room, (_, evidence)) in announced {
        if let Some(entry) = present.get_mut(room) {
            entry.1.extend(evidence);
        }
    }
    present
}

/// Returns the types that plates give to a zone. A plate at the door counts more than one inside,
/// and objects outweigh a plate inside that they contradict.
fn read_types(
    zone: usize,
    signs: &[RoomSign],
    convention: Convention,
    inferred: Option<&Inferred>,
    claims: &Claims,
) -> Found {
    let of_place = |place: Place, factor: f64| {
        let mut found = Found::new();
        for sign in signs.iter().filter(|sign| sign.zone == zone && sign.place == place) {
            let entry = found.entry(sign.room).or_default();
            entry.0 = entry.0.max(sign.text.confidence * factor);
            entry.1.extend(claims.valid_evidence(&sign.text.sightings));
        }
        found
    };
    let door = of_place(Place::AtDoor, DOOR_CONFIDENCE_FACTOR);
    let inside = match convention {
        Convention::Behind => Found::new(),
        Convention::Unknown => of_place(Place::Inside, INSIDE_CONFIDENCE_FACTOR),
        Convention::Inside => of_place(Place::Inside, CONFIRMED_INSIDE_CONFIDENCE_FACTOR),
    };
    let prefers_door = convention != Convention::Inside || inside.is_empty();
    let mut found = if door.len() == 1 && prefers_door { door } else { inside };
    if let Some(inferred) = inferred {
        found.retain(|room, _| compatible(room, inferred.room));
    }
    found
}

/// Returns true if objects of a room type can be in a room with this name.
fn compatible(name: &str, inferred: &str) -> bool {
    // Rooms whose furniture is alike, or which are often one open space.
    const ALIKE: [&[&str]; 6] = [
        &["kitchen", "dining room", "living room"],
        &["kitchen", "staff room", "café", "restaurant", "bar"],
        &["living room", "reception", "waiting room", "café", "restaurant", "bar", "studio", "library"],
        &["bedroom", "children's room", "studio", "treatment room"],
        &["bathroom", "toilet", "dressing room"],
        &["office", "meeting room", "reception", "classroom", "laboratory", "library", "shop", "workshop"],
    ];
    name == inferred || ALIKE.iter().any(|rooms| rooms.contains(&name) && rooms.contains(&inferred))
}

/// Whether the plates of a space name the room that they hang in or the room behind a door, as far
/// as narration and objects tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Convention {
    Inside,
    Behind,
    Unknown,
}

impl Convention {
    fn of(signs: &[RoomSign], spoken: &[Found], inferred: &BTreeMap<usize, Inferred>) -> Convention {
        let (mut inside, mut behind) = (0, 0);
        for sign in signs {
            let named = &spoken[sign.zone];
            let agrees = if named.is_empty() {
                inferred.get(&sign.zone).map(|inferred| compatible(sign.room, inferred.room))
            } else {
                Some(named.contains_key(sign.room))
            };
            match (sign.place, agrees) {
                (Place::Inside, Some(true)) => inside += 1,
                (Place::Inside, Some(false)) | (Place::AtDoor, Some(true)) => behind += 1,
                (Place::AtDoor, Some(false)) | (_, None) => {}
            }
        }
        match inside.cmp(&behind) {
            std::cmp::Ordering::Less => Convention::Behind,
            std::cmp::Ordering::Equal => Convention::Unknown,
            std::cmp::Ordering::Greater => Convention::Inside,
        }
    }
}

fn inferred_claim(inferred: &Inferred, claims: &mut Claims) -> Option<Claim> {
    let evidence: Vec<Evidence> = inferred
        .hints
        .iter()
        .filter_map(|hint| claims.valid_evidence(&hint.sightings).into_iter().next())
        .collect();
    let confidence = inferred.posterior * inferred.certainty * INFERRED_CONFIDENCE_FACTOR;
    claims.make(inferred.room, confidence, Basis::Inferred, evidence, "run_rooms")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse::FusedText;

    fn text(raw: &str) -> FusedText {
        FusedText {
            raw: raw.to_owned(),
            confidence: 0.9,
            zone: Some(0),
            sightings: Vec::new(),
            run_id: "run_text".to_owned(),
        }
    }

    #[test]
    fn narration_and_objects_tell_what_the_plates_of_a_space_name() {
        let (kitchen, office) = (text("KITCHEN"), text("OFFICE"));
        let signs = |place| {
            [
                RoomSign { zone: 0, room: "kitchen", place, text: &kitchen },
                RoomSign { zone: 1, room: "office", place, text: &office },
            ]
        };
        let said = |room: &'static str| Found::from([(room, (0.9, Vec::new()))]);
        let inferred = |room| {
            BTreeMap::from([(0, Inferred { room, posterior: 0.9, certainty: 0.9, hints: Vec::new() })])
        };
        let none = BTreeMap::new;
        let silent = || vec![Found::new(), Found::new()];
        let of = |place, spoken: &[Found], inferred: &BTreeMap<usize, Inferred>| {
            Convention::of(&signs(place), spoken, inferred)
        };
        assert_eq!(of(Place::Inside, &silent(), &none()), Convention::Unknown);
        assert_eq!(of(Place::Inside, &[said("kitchen"), Found::new()], &none()), Convention::Inside);
        assert_eq!(of(Place::Inside, &[said("hallway"), Found::new()], &none()), Convention::Behind);
        assert_eq!(of(Place::Inside, &silent(), &inferred("bedroom")), Convention::Behind);
        assert_eq!(of(Place::AtDoor, &silent(), &inferred("kitchen")), Convention::Behind);
        assert_eq!(of(Place::AtDoor, &silent(), &inferred("bathroom")), Convention::Unknown);
    }

    #[test]
    fn rooms_with_alike_furniture_are_compatible() {
        assert!(compatible("staff room", "kitchen") && compatible("toilet", "bathroom"));
        assert!(!compatible("kitchen", "bedroom") && !compatible("hallway", "living room"));
    }
}
