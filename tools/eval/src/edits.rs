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
use knowledge::diff::{Change, ChangeKind, Subject, diff};
use perception::{
    Settings,
    observe::{Detection, TextReading},
};

use super::{media::Observations, metrics::Metrics};

/// Text of the added sign.
const SIGN: &str = "SUMMER SALE";
/// Class of the added object.
const OBJECT_CLASS: &str = "suitcase";
/// Number of frames in which the additions are visible.
const FRAMES: usize = 3;
/// Maximum share of differing letters between two readings of a sign.
const MAX_DISTANCE: f64 = 0.34;

/// A change that the evaluation made: its kind, its subject and its name.
type Edit = (ChangeKind, Subject, String);

/// Measures the easy case: two scans of the same walk.
pub(super) fn measure(observations: &Observations, settings: &Settings, metrics: &mut Metrics) {
    let before = observations.document(settings);
    metrics.count("diff_identical_changes", diff(&before, &before).changes.len());
    let mut edited = observations.clone();
    let edits = edit(&mut edited, &before, &before);
    let reported = reported(&before, &edited.document(settings));
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
    let (before, unchanged) = (first.document(settings), second.document(settings));
    let without_attributes = |mut changes: Vec<Change>| {
        changes.retain(|change| change.subject != Subject::Attribute);
        changes
    };
    let wrong = without_attributes(reported(&before, &unchanged));
    metrics.mean("diff_again_false", Some(wrong.len() as f64));
    let mut edited = second.clone();
    let edits = edit(&mut edited, &before, &unchanged);
    let reported = without_attributes(reported(&before, &edited.document(settings)));
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

/// Returns the reported changes, without those that could not be verified.
fn reported(before: &SpaceDocument, after: &SpaceDocument) -> Vec<Change> {
    let changes = diff(before, after).changes;
    changes.into_iter().filter(|change| change.kind != ChangeKind::Unverified).collect()
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
    let chosen: Vec<&String> = zone.frame_ids.iter().take(FRAMES).collect();
    if chosen.len() == FRAMES {
        let (high, low) = (BBox { x: 0.4, y: 0.1, w: 0.2, h: 0.06 }, BBox { x: 0.7, y: 0.7, w: 0.1, h: 0.2 });
        for frame in observations.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
            if chosen.contains(&&frame.frame_id) {
                let text = SIGN.to_owned();
                frame.readings.push(TextReading { text, confidence: 0.97, bbox: high, pixel_height: 40.0 });
                frame.detections.push(Detection { label: OBJECT_CLASS.to_owned(), score: 0.8, bbox: low });
            }
        }
        edits.push((ChangeKind::Added, Subject::Text, SIGN.to_owned()));
        edits.push((ChangeKind::Added, Subject::Object, OBJECT_CLASS.to_owned()));
    }
    edits
}

/// Returns whether a reading resembles this sign or a part of it.
fn of_sign(reading: &str, sign: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    distance(reading, sign) <= MAX_DISTANCE || plain(sign).contains(&plain(reading))
}
