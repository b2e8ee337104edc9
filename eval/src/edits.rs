//! Changes between two scans, and whether they are told.
//!
//! The same walk is taken for both scans; among what was read and seen in the second, one sign and one thing are
//! taken away and one of each is put up, and the stages after that run again. So the cameras agree, which is the
//! easiest case for places, and every change is known.
//!
//! - `diff_identical_changes`: changes between a document and itself;
//! - `diff_f1`: changes that are told against those that were made, by kind, subject and name.
//!
//! The hard case is the same house walked again: another way, another camera, duller light. The light really
//! changed, so what is told of attributes is not counted.
//!
//! - `diff_again_f1`: as `diff_f1`, the changes made in what was read and seen on the second walk;
//! - `diff_again_false`: changes that are told of each house where none was made.

use domain::document::{BBox, SpaceDocument};
use knowledge::diff::{Change, ChangeKind, Subject, diff};
use perception::{
    Settings,
    observe::{Detection, TextReading},
};
use xtask::score::distance;

use super::{figures::Figures, media::Seen};

/// What is put up.
const SIGN: &str = "SUMMER SALE";
const THING: &str = "suitcase";
/// Frames of a zone in which something is put up.
const FRAMES: usize = 3;
/// Share of letters that may differ in a reading of a sign.
const ALIKE: f64 = 0.34;

type Made = (ChangeKind, Subject, String);

pub(super) fn measure(seen: &Seen, settings: &Settings, figures: &mut Figures) {
    let before = seen.document(settings);
    figures.count("diff_identical_changes", diff(&before, &before).changes.len());
    let mut edited = seen.clone();
    let made = edit(&mut edited, &before, &before);
    let told = told(&before, &edited.document(settings));
    score("diff_f1", &told, &made, figures);
}

/// Adds two walks through one house; returns what was told and made, for people.
pub(super) fn measure_again(
    first: &Seen,
    second: &Seen,
    settings: &Settings,
    figures: &mut Figures,
) -> String {
    let (before, unchanged) = (first.document(settings), second.document(settings));
    let lasting = |mut changes: Vec<Change>| {
        changes.retain(|change| change.subject != Subject::Attribute);
        changes
    };
    let wrong = lasting(told(&before, &unchanged));
    figures.mean("diff_again_false", Some(wrong.len() as f64));
    let mut edited = second.clone();
    let made = edit(&mut edited, &before, &unchanged);
    let told = lasting(told(&before, &edited.document(settings)));
    score("diff_again_f1", &told, &made, figures);
    let names = |changes: &[Change]| {
        let name = |c: &Change| format!("{:?} {:?} {}", c.kind, c.subject, c.name);
        changes.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    format!("  told though nothing changed: {}\n  made: {made:?}\n  told: {}\n", names(&wrong), names(&told))
}

fn told(before: &SpaceDocument, after: &SpaceDocument) -> Vec<Change> {
    let changes = diff(before, after).changes;
    changes.into_iter().filter(|change| change.kind != ChangeKind::Unverified).collect()
}

/// Twice what is right, of what was told and what was made: the pooled F1.
fn score(name: &str, told: &[Change], made: &[Made], figures: &mut Figures) {
    let right = made.iter().filter(|one| told.iter().any(|change| is_it(change, one))).count();
    figures.share(name, 2 * right, told.len() + made.len());
}

fn is_it(change: &Change, (kind, subject, name): &Made) -> bool {
    change.kind == *kind && change.subject == *subject && distance(&change.name, name) <= ALIKE
}

/// Changes what was seen, of which `document` was made, and says how. Only what was there `before` can be taken away.
fn edit(seen: &mut Seen, before: &SpaceDocument, document: &SpaceDocument) -> Vec<Made> {
    let mut made = Vec::new();
    let was_read = |text: &str| before.texts.iter().any(|t| distance(&t.raw, text) <= ALIKE);
    let mut texts = document.texts.iter().filter(|t| t.zone_id.is_some() && t.raw.len() > 4);
    let sign = texts.find(|t| was_read(&t.raw)).map(|t| t.raw.clone());
    if let Some(sign) = sign {
        for frame in seen.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
            frame.readings.retain(|reading| !of_sign(&reading.text, &sign));
        }
        made.push((ChangeKind::Removed, Subject::Text, sign));
    }
    let was_seen = |class: &str| before.objects.iter().any(|o| o.category.value == class);
    let mut things = document.objects.iter().filter(|object| object.zone_id.is_some());
    if let Some(thing) = things.find(|object| was_seen(&object.category.value)) {
        let (label, zone) = (&thing.category.value, &thing.zone_id);
        let inside = |id: &String| document.frames.iter().any(|f| f.id == *id && f.zone_id == *zone);
        for frame in seen.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
            if inside(&frame.frame_id) {
                frame.detections.retain(|seen| seen.label != *label);
            }
        }
        made.push((ChangeKind::Removed, Subject::Object, label.clone()));
    }
    let Some(zone) = document.zones.iter().max_by_key(|zone| zone.frame_ids.len()) else { return made };
    let chosen: Vec<&String> = zone.frame_ids.iter().take(FRAMES).collect();
    if chosen.len() == FRAMES {
        let (high, low) = (BBox { x: 0.4, y: 0.1, w: 0.2, h: 0.06 }, BBox { x: 0.7, y: 0.7, w: 0.1, h: 0.2 });
        for frame in seen.observed.iter_mut().flat_map(|batch| &mut batch.frames) {
            if chosen.contains(&&frame.frame_id) {
                let text = SIGN.to_owned();
                frame.readings.push(TextReading { text, confidence: 0.97, bbox: high, pixel_height: 40.0 });
                frame.detections.push(Detection { label: THING.to_owned(), score: 0.8, bbox: low });
            }
        }
        made.push((ChangeKind::Added, Subject::Text, SIGN.to_owned()));
        made.push((ChangeKind::Added, Subject::Object, THING.to_owned()));
    }
    made
}

/// Whether a reading is of this sign, or of a piece of it.
fn of_sign(reading: &str, sign: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    distance(reading, sign) <= ALIKE || plain(sign).contains(&plain(reading))
}
