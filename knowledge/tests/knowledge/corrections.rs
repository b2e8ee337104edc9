//! Corrections that are kept for the next scan.

use domain::{
    CorrectionId, Timestamp,
    document::{CorrectedField, Correction, NewCorrection, SpaceDocument},
};
use knowledge::{corrections::kept, diff::Scanned};

use crate::fixture::{document, flat};

fn correction(target: &str, field: CorrectedField, value: Option<&str>) -> Correction {
    let change = NewCorrection { target_id: target.to_owned(), field, value: value.map(str::to_owned) };
    Correction { id: CorrectionId::new(), change, created_at: Timestamp::now() }
}

fn kept_targets(before: &SpaceDocument, after: &SpaceDocument, corrections: &[Correction]) -> Vec<String> {
    let scanned = |document| Scanned { document, views: None };
    kept(scanned(before), scanned(after), corrections).into_iter().map(|(_, new)| new.target_id).collect()
}

#[test]
fn corrections_are_kept_where_the_place_is_the_same() {
    let before = document(&flat());
    let (zone, text, object) = (&before.zones[1].id, &before.texts[0], &before.objects[0].id);
    let all = [
        correction(zone, CorrectedField::Type, Some("laundry room")),
        correction(&text.id, CorrectedField::Text, Some("FIRE EXIT 2")),
        correction(object, CorrectedField::Presence, None),
    ];
    assert_eq!(kept_targets(&before, &before, &all), [zone.clone(), text.id.clone(), object.clone()]);

    // The next scan reads the sign right, and no longer claims the object.
    let mut place = flat();
    place.texts[0].0 = "EMERGENCY DOOR".into();
    place.things.remove(0);
    assert_eq!(kept_targets(&before, &document(&place), &all), std::slice::from_ref(zone));
}

#[test]
fn corrections_of_a_place_that_the_next_scan_does_not_show_are_not_kept() {
    let before = document(&flat());
    let mut place = flat();
    place.zones.truncate(1);
    place.openings.clear();
    place.things.clear();
    place.texts.clear();
    place.boards.clear();
    place.said.clear();
    place.sizes.clear();
    let zone = &before.zones[3].id;
    let all = [correction(zone, CorrectedField::Name, Some("Nook"))];
    assert_eq!(kept_targets(&before, &document(&place), &all), Vec::<String>::new());
}
