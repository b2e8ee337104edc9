//! Differences between walks whose frames have features: what both demonstrably saw is compared.

use domain::document::{BBox, Claim, Count, Evidence, Frame, Object, SpaceDocument, Text, TextKind};
use knowledge::diff::{Change, ChangeKind, ComparedBy, Scanned, Subject, diff, diff_scans};
use registration::{Feature, Features, FrameView, SeenObject, SeenText, WalkViews};

use crate::fixture::{Place, document, flat};

/// Size of a frame in pixels.
const FRAME: (f64, f64) = (320.0, 180.0);

/// A thing at a place of the drawing of which every frame shows a part, in pixels.
#[derive(Clone, Copy)]
struct Thing {
    name: &'static str,
    at: (f64, f64, f64, f64),
}

const CHAIR: Thing = Thing { name: "chair", at: (180.0, 80.0, 40.0, 40.0) };
const PLANT: Thing = Thing { name: "potted plant", at: (230.0, 90.0, 30.0, 40.0) };
const SIGN: Thing = Thing { name: "MAPLE-4417", at: (150.0, 40.0, 60.0, 10.0) };

/// A walk along the drawing.
#[derive(Clone)]
struct Walk {
    /// Left edge of each frame.
    frames: Vec<f64>,
    objects: Vec<Thing>,
    texts: Vec<Thing>,
}

impl Walk {
    fn along(frames: impl IntoIterator<Item = u32>) -> Walk {
        Walk {
            frames: frames.into_iter().map(f64::from).collect(),
            objects: vec![CHAIR, PLANT],
            texts: vec![SIGN],
        }
    }

    fn without(mut self, name: &str) -> Walk {
        self.objects.retain(|thing| thing.name != name);
        self.texts.retain(|thing| thing.name != name);
        self
    }

    fn scan(&self) -> (SpaceDocument, WalkViews) {
        let zone = Place {
            zones: vec![flat().zones.remove(0)],
            things: vec![("chair".into(), 1, [1, 1, 1])],
            texts: vec![("SIGN".into(), "sign".into(), 1)],
            ..Place::default()
        };
        let mut document = document(&zone);
        let (frame, object, text) =
            (document.frames.remove(0), document.objects.remove(0), document.texts.remove(0));
        let number = |at: usize| format!("frm_{:05}", at + 1);
        document.frames = (0..self.frames.len())
            .map(|at| Frame {
                id: number(at),
                t_ms: Some(at as u64 * 1000),
                hash: format!("{:016x}", at * 7919),
                zone_id: Some("zon_1".into()),
                ..frame.clone()
            })
            .collect();
        document.zones[0].frame_ids = document.frames.iter().map(|frame| frame.id.clone()).collect();
        document.zones[0].best_frame_id = number(0);
        let evidence = |thing: &Thing| -> Vec<Evidence> {
            let shown = self.frames.iter().zip(&document.frames);
            shown
                .filter_map(|(left, frame)| Some(frame.evidence(Some(seen_at(*left, thing)?), 0.9)))
                .collect()
        };
        let claim = |claim: &Claim, kind: &str, at: usize, value: &str, evidence: Vec<Evidence>| Claim {
            id: format!("clm_{kind}_{at}"),
            value: value.to_owned(),
            evidence,
            ..claim.clone()
        };
        let objects: Vec<Object> = self
            .objects
            .iter()
            .enumerate()
            .filter(|(_, thing)| !evidence(thing).is_empty())
            .map(|(at, thing)| Object {
                id: format!("obj_{at}"),
                category: claim(&object.category, "obj", at, thing.name, evidence(thing)),
                sightings: evidence(thing),
                count: Count { min: 1, best: 1, max: 1 },
                ..object.clone()
            })
            .collect();
        let texts: Vec<Text> = self
            .texts
            .iter()
            .enumerate()
            .filter(|(_, thing)| !evidence(thing).is_empty())
            .map(|(at, thing)| Text {
                id: format!("txt_{at}"),
                raw: thing.name.to_owned(),
                normalized: thing.name.to_lowercase(),
                kind: TextKind::Sign,
                claim: claim(&text.claim, "txt", at, thing.name, evidence(thing)),
                ..text.clone()
            })
            .collect();
        (document.objects, document.texts) = (objects, texts);
        let shown = vec![document.frames[0].evidence(None, 0.9)];
        let zone = &mut document.zones[0];
        zone.types.iter_mut().for_each(|claim| claim.evidence.clone_from(&shown));
        zone.attributes.iter_mut().for_each(|attribute| attribute.claim.evidence.clone_from(&shown));
        assert_eq!(document.defects(), Vec::<String>::new());
        let view = |(at, left): (usize, &f64)| FrameView {
            frame_id: number(at),
            run_id: None,
            features: features(*left),
            objects: self
                .objects
                .iter()
                .filter_map(|thing| {
                    Some(SeenObject {
                        label: thing.name.to_owned(),
                        score: 0.7,
                        bbox: seen_at(*left, thing)?,
                    })
                })
                .collect(),
            texts: self
                .texts
                .iter()
                .filter_map(|thing| {
                    Some(SeenText { text: thing.name.to_owned(), bbox: seen_at(*left, thing)? })
                })
                .collect(),
        };
        (document, WalkViews::new(self.frames.iter().enumerate().map(view).collect()))
    }
}

/// Returns the box of a thing in a frame that shows it whole.
fn seen_at(left: f64, thing: &Thing) -> Option<BBox> {
    let (x, y, w, h) = thing.at;
    let inside = x >= left && x + w <= left + FRAME.0;
    inside.then(|| BBox { x: (x - left) / FRAME.0, y: y / FRAME.1, w: w / FRAME.0, h: h / FRAME.1 })
}

/// Returns the features of a frame: those of 600 landmarks of the drawing that it shows.
fn features(left: f64) -> Features {
    let landmark = |number: u64| {
        let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(99);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 31)
        };
        let bits = [next(), next(), next(), next()];
        let (x, y) = ((next() >> 20) % 1200, (next() >> 20) % 180);
        let x = x as f64 - left;
        (0.0..FRAME.0).contains(&x).then_some(Feature { x: x as u16, y: y as u16, bits })
    };
    Features { width: FRAME.0 as u16, height: FRAME.1 as u16, list: (0..600).filter_map(landmark).collect() }
}

fn compare(before: &Walk, after: &Walk) -> Vec<Change> {
    let (before, after) = (before.scan(), after.scan());
    let found = diff_scans(
        Scanned { document: &before.0, views: Some(&before.1) },
        Scanned { document: &after.0, views: Some(&after.1) },
    );
    assert_eq!(found.compared_by, ComparedBy::RegisteredViews);
    found.changes
}

fn kinds(changes: &[Change]) -> Vec<(ChangeKind, Subject, &str)> {
    changes.iter().map(|c| (c.kind, c.subject, c.name.as_str())).collect()
}

fn first() -> Walk {
    Walk::along((0..150).step_by(25))
}

fn second() -> Walk {
    Walk::along((10..150).step_by(30))
}

#[test]
fn another_path_through_an_unchanged_place_has_no_changes() {
    assert_eq!(kinds(&compare(&first(), &second())), []);
    assert_eq!(kinds(&compare(&first(), &first())), []);
}

#[test]
fn an_object_is_gone_only_if_its_place_was_looked_at() {
    let gone = compare(&first(), &second().without("chair"));
    assert_eq!(kinds(&gone), [(ChangeKind::Removed, Subject::Object, "chair")]);
    assert!(!gone[0].before.as_ref().unwrap().evidence.is_empty());
    let new = compare(&first().without("chair"), &second());
    assert_eq!(kinds(&new), [(ChangeKind::Added, Subject::Object, "chair")]);

    let elsewhere = Walk { frames: vec![190.0, 200.0, 260.0, 300.0], ..second() }.without("chair");
    let unseen = compare(&first(), &elsewhere);
    assert!(unseen.iter().all(|change| change.kind == ChangeKind::Unverified), "{:?}", kinds(&unseen));
    assert!(kinds(&unseen).contains(&(ChangeKind::Unverified, Subject::Object, "chair")));
}

#[test]
fn an_object_that_the_first_walk_hardly_found_is_not_gone() {
    let (before, mut views) = first().scan();
    views.views[1..].iter_mut().for_each(|view| view.objects.retain(|seen| seen.label != "chair"));
    let after = second().without("chair").scan();
    let found = diff_scans(
        Scanned { document: &before, views: Some(&views) },
        Scanned { document: &after.0, views: Some(&after.1) },
    );
    assert_eq!(kinds(&found.changes), [(ChangeKind::Unverified, Subject::Object, "chair")]);
}

#[test]
fn a_walk_that_finds_nothing_again_does_not_empty_the_place() {
    let evening = Walk { objects: Vec::new(), ..second() };
    let found = compare(&first(), &evening);
    assert!(found.iter().all(|change| change.kind == ChangeKind::Unverified), "{:?}", kinds(&found));
}

#[test]
fn another_class_at_the_place_of_an_object_is_no_removal() {
    let confused = Walk { objects: vec![Thing { name: "couch", ..CHAIR }, PLANT], ..second() };
    let found = compare(&first(), &confused);
    assert!(found.iter().all(|change| change.kind == ChangeKind::Unverified), "{:?}", kinds(&found));
}

#[test]
fn an_object_at_another_place_that_both_walks_saw_has_moved() {
    let moved = Walk { objects: vec![Thing { at: (175.0, 135.0, 40.0, 40.0), ..CHAIR }, PLANT], ..second() };
    assert_eq!(kinds(&compare(&first(), &moved)), [(ChangeKind::Moved, Subject::Object, "chair")]);
}

#[test]
fn a_sign_with_another_text_at_its_place_is_one_change() {
    for text in ["MAPLE-9026", "CLOSED NOW"] {
        let reworded = Walk { texts: vec![Thing { name: text, ..SIGN }], ..second() };
        let found = compare(&first(), &reworded);
        assert_eq!(kinds(&found), [(ChangeKind::Changed, Subject::Text, "MAPLE-4417")], "{text}");
        assert_eq!(found[0].after.as_ref().unwrap().value, text);
    }
}

#[test]
fn a_misreading_at_the_place_of_a_sign_is_no_change() {
    let (before, after) =
        (first().scan(), Walk { texts: vec![Thing { name: "NOPLE-44", ..SIGN }], ..second() }.scan());
    let mut views = after.1;
    views.views[2].texts[0].text = "MAPLE-4417".to_owned();
    let found = diff_scans(
        Scanned { document: &before.0, views: Some(&before.1) },
        Scanned { document: &after.0, views: Some(&views) },
    );
    assert_eq!(kinds(&found.changes), []);
}

#[test]
fn a_sign_is_gone_only_if_its_place_was_looked_at() {
    let gone = compare(&first(), &second().without("MAPLE-4417"));
    assert_eq!(kinds(&gone), [(ChangeKind::Removed, Subject::Text, "MAPLE-4417")]);
    let blurred = second().without("MAPLE-4417");
    let (before, mut after) = (first().scan(), blurred.scan());
    after.0.frames.iter_mut().for_each(|frame| frame.sharpness /= 10.0);
    let found = diff_scans(
        Scanned { document: &before.0, views: Some(&before.1) },
        Scanned { document: &after.0, views: Some(&after.1) },
    );
    assert_eq!(kinds(&found.changes), [(ChangeKind::Unverified, Subject::Text, "MAPLE-4417")]);
}

#[test]
fn scans_without_stored_views_are_compared_by_hashes() {
    let (before, after) = (first().scan(), second().scan());
    let found = diff_scans(
        Scanned { document: &before.0, views: Some(&before.1) },
        Scanned { document: &after.0, views: None },
    );
    assert_eq!(found.compared_by, ComparedBy::FrameHashes);
    assert_eq!(diff(&before.0, &after.0), found);
}

#[test]
fn a_type_that_the_other_walk_gives_to_another_zone_did_not_change() {
    let (before, mut after) = (first().scan(), second().scan());
    let changes = |after: &(SpaceDocument, WalkViews)| {
        let found = diff_scans(
            Scanned { document: &before.0, views: Some(&before.1) },
            Scanned { document: &after.0, views: Some(&after.1) },
        );
        kinds(&found.changes).into_iter().map(|(kind, subject, _)| (kind, subject)).collect::<Vec<_>>()
    };
    let was = after.0.zones[0].types[0].value.clone();
    after.0.zones[0].types[0].value = "laundry room".to_owned();
    assert_eq!(changes(&after), [(ChangeKind::Changed, Subject::ZoneType)]);
    // A second zone has the earlier type.
    let mut other = after.0.zones[0].clone();
    other.id = "zon_2".to_owned();
    other.frame_ids = vec!["frm_00001".to_owned()];
    other.types[0].value = was;
    after.0.zones.push(other);
    assert!(!changes(&after).contains(&(ChangeKind::Changed, Subject::ZoneType)));
}
