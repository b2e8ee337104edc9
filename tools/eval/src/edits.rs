//! Changes between two scans of one space, and whether the comparison finds them.
//!
//! In the easy case both scans are of the same walk. In the models' output of the second, one sign
//! and one object are removed and one of each is added, and the stages after the models run again.
//! The camera positions agree, and every change is known.
//!
//! - `diff_identical_changes`: number of changes between a document and itself;
//! - `diff_f1`: F1 of the reported changes, by kind, subject and name.
//!
//! In the hard case the second scan is another walk through the house: another route, another
//! camera, dimmer light. Reported changes of attributes are not counted, because the light did
//! change.
//!
//! - `diff_again_f1`: F1 of the reported changes, with the same edits to the second walk;
//! - `diff_again_false`: mean number of reported changes in an unchanged house.

use domain::document::{BBox, SpaceDocument};
use eval::score::distance;
use knowledge::diff::{Change, ChangeKind, Scanned, Subject, diff_scans};
use perception::{
    Settings,
    observe::{Detection, FrameObservation, TextReading},
};
use registration::{WalkViews, register};

use super::{media::Observations, metrics::Metrics};

/// Text of the added sign.
const SIGN: &str = "SUMMER SALE";
/// Class of the added object.
const OBJECT_CLASS: &str = "suitcase";
/// Minimum number of frames of the zone that gets the additions.
const FRAMES: usize = 3;
/// Maximum share of differing letters between two readings of a sign.
const MAX_DISTANCE: f64 = 0.34;

/// A change that the evaluation made: its kind, its subject and its name.
type Edit = (ChangeKind, Subject, String);

/// Measures the easy case: two scans of the same walk.
pub(super) fn measure(observations: &Observations, settings: &Settings, metrics: &mut Metrics) {
    let before = Walk::of(observations, settings);
    let identical = diff_scans(before.scanned(), before.scanned());
    metrics.count("diff_identical_changes", identical.changes.len());
    let mut edited = observations.clone();
    let edits = edit(&mut edited, &before.document, &before.document);
    let reported = reported(&before, &Walk::of(&edited, settings));
    score("diff_f1", &reported, &edits, metrics);
}

/// Measures the hard case: two walks through one house. Returns the edits and the reported changes
/// as text.
pub(super) fn measure_again(
    first: &Observations,
    second: &Observations,
    settings: &Settings,
    metrics: &mut Metrics,
) -> String {
    let (before, unchanged) = (Walk::of(first, settings), Walk::of(second, settings));
    let without_attributes = |mut changes: Vec<Change>| {
        changes.retain(|change| change.subject != Subject::Attribute);
        changes
    };
    let wrong = without_attributes(reported(&before, &unchanged));
    metrics.mean("diff_again_false", Some(wrong.len() as f64));
    let mut edited = second.clone();
    let edits = edit(&mut edited, &before.document, &unchanged.document);
    let reported = without_attributes(reported(&before, &Walk::of(&edited, settings)));
    score("diff_again_f1", &reported, &edits, metrics);
    let names = |changes: &[Change]| {
        let name = |c: &Change| format!("{:?} {:?} {}", c.kind, c.subject, c.name);
        changes.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    format!(
        "  reported without a change: {}\n  edits: {edits:?}\n  reported: {}\n",
        names(&wrong),
        names(&reported)
    )
}

/// The document and the views of one walk.
pub(super) struct Walk {
    pub(super) document: SpaceDocument,
    views: WalkViews,
}

impl Walk {
    pub(super) fn of(observations: &Observations, settings: &Settings) -> Walk {
        Walk { document: observations.document(settings), views: observations.views() }
    }

    fn scanned(&self) -> Scanned<'_> {
        Scanned { document: &self.document, views: Some(&self.views) }
    }
}

/// Returns the reported changes, without those that could not be verified or compared.
pub(super) fn reported(before: &Walk, after: &Walk) -> Vec<Change> {
    let changes = diff_scans(before.scanned(), after.scanned()).changes;
    let verified =
        |change: &Change| !matches!(change.kind, ChangeKind::Unverified | ChangeKind::Incomparable);
    changes.into_iter().filter(verified).collect()
}

/// Adds to the pooled F1: twice the right changes over all reported changes and all edits.
fn score(name: &str, reported: &[Change], edits: &[Edit], metrics: &mut Metrics) {
    let right = edits.iter().filter(|edit| reported.iter().any(|change| matches_edit(change, edit))).count();
    metrics.share(name, 2 * right, reported.len() + edits.len());
}

fn matches_edit(change: &Change, (kind, subject, name): &Edit) -> bool {
    change.kind == *kind && change.subject == *subject && distance(&change.name, name) <= MAX_DISTANCE
}

/// Edits the observations behind `document` and returns the edits. Removes only a sign and an
/// object that are also in `before`.
fn edit(observations: &mut Observations, before: &SpaceDocument, document: &SpaceDocument) -> Vec<Edit> {
    let mut edits = Vec::new();
    let was_read = |text: &str| before.texts.iter().any(|t| distance(&t.raw, text) <= MAX_DISTANCE);
    let mut texts = document.texts.iter().filter(|t| t.zone_id.is_some() && t.raw.len() > 4);
    let sign = texts.find(|t| was_read(&t.raw)).map(|t| t.raw.clone());
    if let Some(sign) = sign {
        for frame in observations.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
            frame.readings.retain(|reading| !of_sign(&reading.text, &sign));
        }
        edits.push((ChangeKind::Removed, Subject::Text, sign));
    }
    let was_seen = |class: &str| before.objects.iter().any(|o| o.category.value == class);
    let mut objects = document.objects.iter().filter(|object| object.zone_id.is_some());
    if let Some(object) = objects.find(|object| was_seen(&object.category.value)) {
        let (label, zone) = (&object.category.value, &object.zone_id);
        let inside = |id: &String| document.frames.iter().any(|f| f.id == *id && f.zone_id == *zone);
        for frame in observations.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
            if inside(&frame.frame_id) {
                frame.detections.retain(|seen| seen.label != *label);
            }
        }
        edits.push((ChangeKind::Removed, Subject::Object, label.clone()));
    }
    let Some(zone) = document.zones.iter().max_by_key(|zone| zone.frame_ids.len()) else { return edits };
    let Some(frame) = zone.frame_ids.get(zone.frame_ids.len() / 2).filter(|_| zone.frame_ids.len() >= FRAMES)
    else {
        return edits;
    };
    let (high, low) = (BBox { x: 0.4, y: 0.1, w: 0.2, h: 0.06 }, BBox { x: 0.6, y: 0.6, w: 0.1, h: 0.2 });
    for (id, place) in shown_in(observations, frame, &high) {
        let text = SIGN.to_owned();
        let reading = TextReading { text, confidence: 0.97, bbox: place, pixel_height: 40.0 };
        observation(observations, &id, |frame| frame.readings.push(reading.clone()));
    }
    for (id, place) in shown_in(observations, frame, &low) {
        let detection = Detection { label: OBJECT_CLASS.to_owned(), score: 0.8, bbox: place };
        observation(observations, &id, |frame| frame.detections.push(detection.clone()));
    }
    edits.push((ChangeKind::Added, Subject::Text, SIGN.to_owned()));
    edits.push((ChangeKind::Added, Subject::Object, OBJECT_CLASS.to_owned()));
    edits
}

fn observation(observations: &mut Observations, id: &str, change: impl Fn(&mut FrameObservation)) {
    let frames = observations.observed.iter_mut().flat_map(|batch| &mut batch.frames);
    frames.filter(|frame| frame.frame_id == id).for_each(change);
}

/// Returns the frames that show a place of one frame, with its box in each: an addition is a thing at
/// one place, not a sticker on the lens.
fn shown_in(observations: &Observations, frame: &str, place: &BBox) -> Vec<(String, BBox)> {
    let views = &observations.ingested.views;
    let Some(shown) = views.iter().find(|view| view.frame_id == frame) else { return Vec::new() };
    let inside = |b: &BBox| b.x >= 0.0 && b.y >= 0.0 && b.x + b.w <= 1.0 && b.y + b.h <= 1.0;
    let located = |view: &perception::ingest::View| {
        let place = if view.frame_id == frame {
            *place
        } else {
            register(&shown.features, &view.features)?.locate(place)?
        };
        inside(&place).then(|| (view.frame_id.clone(), place))
    };
    views.iter().filter_map(located).collect()
}

/// Returns whether a reading resembles this sign or a part of it.
fn of_sign(reading: &str, sign: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    distance(reading, sign) <= MAX_DISTANCE || plain(sign).contains(&plain(reading))
}
