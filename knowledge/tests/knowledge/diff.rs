//! Differences between the documents of two walks.

use domain::document::{BBox, SpaceDocument, Task};
use knowledge::diff::{Because, Change, ChangeKind, Diff, Subject, diff};
use proptest::prelude::*;

use crate::fixture::{Place, PlaceZone, document, flat};

/// Returns the kind, subject and name of each change.
fn summary(diff: &Diff) -> Vec<(ChangeKind, Subject, &str)> {
    diff.changes.iter().map(|c| (c.kind, c.subject, c.name.as_str())).collect()
}

/// Compares the flat with an edited copy.
fn after(edit: impl Fn(&mut Place)) -> Diff {
    let mut place = flat();
    edit(&mut place);
    diff(&document(&flat()), &document(&place))
}

fn only(diff: Diff) -> Change {
    assert_eq!(diff.changes.len(), 1, "{:?}", summary(&diff));
    diff.changes.into_iter().next().unwrap()
}

#[test]
fn reports_removed_added_moved_and_recounted_objects() {
    let gone = only(after(|place| place.things.retain(|thing| thing.0 != "laptop")));
    assert_eq!((gone.kind, gone.subject), (ChangeKind::Removed, Subject::Object));
    let side = gone.before.unwrap();
    assert_eq!((side.zone.as_deref(), side.value.as_str()), (Some("Bedroom"), "laptop"));
    assert!(gone.after.is_none() && !side.evidence.is_empty() && gone.confidence > 0.5);

    let new = only(after(|place| place.things.push(("vase".into(), 3, [1, 1, 1]))));
    assert_eq!((new.kind, new.name.as_str()), (ChangeKind::Added, "vase"));
    assert_eq!(new.after.unwrap().zone_id.as_deref(), Some("zon_3"));

    let moved = only(after(|place| place.things[0].1 = 3));
    assert_eq!((moved.kind, moved.name.as_str()), (ChangeKind::Moved, "clock"));
    let zones = (moved.before.unwrap().zone_id.unwrap(), moved.after.unwrap().zone_id.unwrap());
    assert_eq!(zones, ("zon_1".into(), "zon_3".into()));

    let fewer = only(after(|place| place.things[1].2 = [2, 2, 2]));
    assert_eq!((fewer.kind, fewer.name.as_str()), (ChangeKind::CountChanged, "chair"));
    let counts = (fewer.before.unwrap().count.unwrap().best, fewer.after.unwrap().count.unwrap().best);
    assert_eq!(counts, (4, 2));
    // Overlapping ranges may mean the same number.
    assert_eq!(summary(&after(|place| place.things[9].2 = [2, 3, 3])), []);
}

#[test]
fn reports_reworded_signs_and_ignores_misreadings() {
    let wifi = only(after(|place| place.texts[2].0 = "WiFi: GuestNet 4412".into()));
    assert_eq!((wifi.kind, wifi.subject), (ChangeKind::Changed, Subject::Text));
    assert_eq!(wifi.after.unwrap().value, "WiFi: GuestNet 4412");
    assert_eq!(summary(&after(|place| place.texts[0].0 = "F1RE EXIT".into())), [], "misread");
    assert_eq!(summary(&after(|place| place.texts[1].0 = "KITCH".into())), [], "partly in view");
    let moved = only(after(|place| place.texts[0].2 = 4));
    assert_eq!((moved.kind, moved.name.as_str()), (ChangeKind::Moved, "fire exit"));
    let gone = only(after(|place| drop(place.texts.remove(0))));
    assert_eq!((gone.kind, gone.name.as_str()), (ChangeKind::Removed, "fire exit"));
}

#[test]
fn reports_changes_of_light_colours_types_and_sizes() {
    let colours = only(after(|place| place.zones[2].colours = "red".into()));
    assert_eq!((colours.kind, colours.subject), (ChangeKind::Changed, Subject::Attribute));
    assert_eq!((colours.before.unwrap().value, colours.after.unwrap().value), ("blue".into(), "red".into()));
    assert_eq!(summary(&after(|place| place.zones[0].colours = "white, gray".into())), []);
    let office = after(|place| place.zones[3].types = vec!["office".into()]);
    assert_eq!(summary(&office), [(ChangeKind::Changed, Subject::ZoneType, "Bedroom")]);
    let size = after(|place| {
        place.said[1].0 = "The master bedroom is 18 square meters.".into();
        place.sizes[1] = (18.0, "m2".into(), "18 square meters".into(), place.sizes[1].3, 3);
    });
    assert_eq!(summary(&size), [(ChangeKind::Changed, Subject::Measurement, "m2")]);
}

#[test]
fn reports_unseen_places_as_unverified() {
    // The second bedroom was not visited: reported once, not for each object in it.
    let unvisited = after(|place| {
        place.zones.remove(3);
        place.openings.clear();
        place.things.retain(|thing| thing.1 != 4);
        place.things.iter_mut().filter(|thing| thing.1 == 5).for_each(|thing| thing.1 = 4);
        place.said.pop();
    });
    // The last zone has another number, and therefore another frame.
    let zones: Vec<_> = unvisited.changes.iter().filter(|change| change.subject == Subject::Zone).collect();
    assert!(zones.iter().all(|change| change.kind == ChangeKind::Unverified), "{:?}", summary(&unvisited));
    assert!(zones.iter().any(|change| change.reason == Some(Because::NotSeenAgain)));
    assert!(
        unvisited.changes.iter().all(|change| change.kind == ChangeKind::Unverified),
        "{:?}",
        summary(&unvisited)
    );

    let hurried = only(after(|place| {
        place.zones[3].coverage = 0.1;
        place.things.retain(|thing| thing.0 != "laptop");
    }));
    assert_eq!((hurried.kind, hurried.reason), (ChangeKind::Unverified, Some(Because::NotSeenAgain)));
    let unseen = only(diff(
        &document(&Place {
            zones: vec![PlaceZone { coverage: 0.1, ..flat().zones.remove(0) }],
            ..Place::default()
        }),
        &document(&Place {
            zones: vec![flat().zones.remove(0)],
            things: vec![("clock".into(), 1, [1, 1, 1])],
            ..Place::default()
        }),
    ));
    assert_eq!((unseen.kind, unseen.reason), (ChangeKind::Unverified, Some(Because::NotSeenBefore)));
}

#[test]
fn light_of_another_time_of_day_is_no_change_of_the_space() {
    let evening = after(|place| {
        place.zones.iter_mut().for_each(|zone| {
            zone.light = if zone.light == "dark" { "bright".into() } else { "dark".into() };
            zone.colours = "orange".into();
        })
    });
    assert_eq!(summary(&evening), []);
}

#[test]
fn colours_of_another_camera_are_incomparable() {
    let (before, mut after) = (document(&flat()), document(&flat()));
    after.media[0].width = 640;
    let refused = only(diff(&before, &after));
    assert_eq!((refused.kind, refused.subject), (ChangeKind::Incomparable, Subject::Attribute));
    assert_eq!(refused.reason, Some(Because::DifferentCameras));
    (after.media[0].width, after.media[0].height) = (720, 1280);
    assert_eq!(summary(&diff(&before, &after)), [], "the same camera, upright");
}

/// Changes the hashes so that no frame looks like a frame of the first walk.
fn other_views(document: &mut SpaceDocument) {
    for frame in &mut document.frames {
        frame.hash = format!("{:016x}", !u64::from_str_radix(&frame.hash, 16).unwrap());
    }
}

#[test]
fn locates_place_by_anchor_from_another_point_of_view() {
    let boxed = |x: f64| Some(BBox { x, y: 0.4, w: 0.1, h: 0.1 });
    let place = Place {
        zones: vec![flat().zones.remove(1)],
        things: vec![("clock".into(), 1, [1, 1, 1])],
        texts: vec![("KITCHEN".into(), "sign".into(), 1)],
        ..Place::default()
    };
    let mut before = document(&place);
    before.objects[0].sightings[0].bbox = boxed(0.6);
    before.texts[0].claim.evidence[0].bbox = boxed(0.4);
    let without = |before: &SpaceDocument, x: f64| {
        let mut after = document(&Place { things: Vec::new(), ..place.clone() });
        after.texts[0].claim.evidence[0].bbox = boxed(x);
        other_views(&mut after);
        only(diff(before, &after)).kind
    };
    assert_eq!(without(&before, 0.3), ChangeKind::Removed, "the sign shows that the place is in view");
    assert_eq!(without(&before, 0.8), ChangeKind::Unverified, "the place is out of view");
    before.objects[0].sightings[0].bbox = boxed(0.8);
    assert_eq!(without(&before, 0.3), ChangeKind::Unverified, "too far from the sign");
}

#[test]
fn reports_results_of_other_models_as_incomparable() {
    let (before, mut after) = (document(&flat()), document(&flat()));
    after.objects.clear();
    after.runs.iter_mut().filter(|run| run.task == Task::Objects).for_each(|run| run.version = "2".into());
    let refused = only(diff(&before, &after));
    assert_eq!((refused.kind, refused.subject), (ChangeKind::Incomparable, Subject::Object));
    assert_eq!(refused.reason, Some(Because::DifferentModels));
    assert_eq!(refused.after.unwrap().value, "objects 2");

    after.runs.retain(|run| run.task != Task::Objects);
    assert_eq!(only(diff(&before, &after)).reason, Some(Because::NotLookedFor));

    // The same model with fewer classes.
    let fewer = after_knowing(|known| known.retain(|class| class != "oven"));
    assert_eq!(summary(&fewer), [(ChangeKind::Incomparable, Subject::Object, "oven")]);

    let mut zones = document(&flat());
    zones.runs.iter_mut().filter(|run| run.task == Task::Zones).for_each(|run| run.version = "2".into());
    let refused = diff(&before, &zones);
    assert_eq!((only(refused.clone()).subject, refused.zones.len()), (Subject::Zone, 0));
}

fn after_knowing(edit: impl Fn(&mut Vec<String>)) -> Diff {
    after(|place| {
        edit(&mut place.can_know);
        place.things.retain(|thing| place.can_know.contains(&thing.0));
    })
}

/// Generates places with similar rooms that share signs.
fn places() -> impl Strategy<Value = Place> {
    let zone = (
        prop_oneof!["bedroom|kitchen|hall", Just(String::new())],
        "dark|bright",
        "white|red|grey, white",
        0.0..1.0,
    );
    let zone = zone.prop_map(|(kind, light, colours, coverage)| PlaceZone {
        types: if kind.is_empty() { Vec::new() } else { vec![kind] },
        light,
        colours,
        coverage,
    });
    proptest::collection::vec(zone, 1..8).prop_flat_map(|zones| {
        let at = 0..=zones.len();
        let things = proptest::collection::vec(("chair|tv|bed", at.clone(), 1..4u32), 0..9);
        let texts = proptest::collection::vec(("EXIT|ROOM [0-9]|[A-Z]{1,6}", at), 0..9);
        (Just(zones), things, texts).prop_map(|(zones, things, texts)| Place {
            zones,
            things: things.into_iter().map(|(name, zone, n)| (name, zone, [n, n, n])).collect(),
            texts: texts.into_iter().map(|(raw, zone)| (raw, "sign".into(), zone)).collect(),
            ..Place::default()
        })
    })
}

proptest! {
    #[test]
    fn document_has_no_changes_compared_with_itself(place in places()) {
        let document = document(&place);
        let same = diff(&document, &document);
        prop_assert_eq!(summary(&same), vec![]);
        prop_assert!(same.zones.iter().all(|pair| pair.from_zone_id == pair.to_zone_id && pair.score == 1.0));
        prop_assert_eq!(same.zones.len(), document.zones.len());
    }

    #[test]
    fn added_object_is_one_change_in_either_direction(mut place in places(), at in 0usize..8) {
        for zone in &mut place.zones {
            zone.coverage = 1.0;
        }
        let without = document(&place);
        place.things.push(("vase".into(), at % place.zones.len() + 1, [1, 1, 1]));
        let with = document(&place);
        let (more, less) = (diff(&without, &with), diff(&with, &without));
        prop_assert_eq!(summary(&more), vec![(ChangeKind::Added, Subject::Object, "vase")]);
        prop_assert_eq!(summary(&less), vec![(ChangeKind::Removed, Subject::Object, "vase")]);
    }

    #[test]
    fn changes_between_any_places_are_consistent(a in places(), b in places()) {
        let (before, mut after) = (document(&a), document(&b));
        other_views(&mut after);
        let diff = diff(&before, &after);
        let (from, to) = diff.zones.iter().map(|z| (z.from_zone_id.clone(), z.to_zone_id.clone())).unzip::<_, _, Vec<_>, Vec<_>>();
        for mut ids in [from, to] {
            let all = ids.len();
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), all, "a zone matches one zone");
        }
        for change in &diff.changes {
            // A reason is given exactly for these kinds.
            prop_assert_eq!(change.reason.is_some(), matches!(change.kind, ChangeKind::Unverified | ChangeKind::Incomparable));
            let sides = (change.before.is_some(), change.after.is_some());
            match change.kind {
                ChangeKind::Added => prop_assert_eq!(sides, (false, true)),
                ChangeKind::Removed => prop_assert_eq!(sides, (true, false)),
                ChangeKind::Moved | ChangeKind::Changed | ChangeKind::CountChanged => prop_assert_eq!(sides, (true, true)),
                _ => {}
            }
        }
    }
}
