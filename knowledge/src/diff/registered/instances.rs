//! Single objects of one walk: detections that registration shows to be one thing.

use domain::document::{BBox, Object, SpaceDocument};

use super::locator::{LocatedPlace, PlaceLocator, WalkFrames};

/// Minimum score of a detection that shows an object of the document.
const MIN_SCORE: f64 = 0.4;
/// Minimum score of the best detection of an instance.
const MIN_BEST_SCORE: f64 = 0.5;
/// Minimum overlap of a detection with the place of an object of the same class.
const SAME_CLASS_MIN_IOU: f64 = 0.2;
/// Minimum overlap of a detection of another class with the place of an object. Detectors confuse
/// classes, so something that fills the place may be the object.
const ANY_CLASS_MIN_IOU: f64 = 0.4;
/// Minimum overlap of two detections of one object in one frame, one of them located.
const LINK_MIN_IOU: f64 = 0.4;

/// One object of a walk.
pub(super) struct Instance<'a> {
    /// The entry of the document that counts it.
    pub(super) object: &'a Object,
    pub(super) label: &'a str,
    /// Frames and boxes, the best first.
    pub(super) sightings: Vec<(usize, BBox)>,
}

/// Returns the objects of a walk, one for each thing: detections of one class that lie at one place
/// in registered frames.
pub(super) fn instances<'a>(document: &'a SpaceDocument, own: &PlaceLocator<'_, 'a>) -> Vec<Instance<'a>> {
    document.objects.iter().flat_map(|object| of_object(object, own)).collect()
}

fn of_object<'a>(object: &'a Object, own: &PlaceLocator<'_, 'a>) -> Vec<Instance<'a>> {
    let frames = own.shown;
    let label = object.category.value.as_str();
    let mut detections: Vec<(f64, usize, BBox)> = Vec::new();
    for (at, view) in frames.views.iter().enumerate() {
        if frames.zone_id(at) == object.zone_id.as_deref() {
            let of_class = view.objects.iter().filter(|seen| seen.label == label && seen.score >= MIN_SCORE);
            detections.extend(of_class.map(|seen| (seen.score, at, seen.bbox)));
        }
    }
    detections.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut instances = Vec::new();
    while let Some(&(score, at, bbox)) = detections.first() {
        if score < MIN_BEST_SCORE {
            break;
        }
        let looks = own.of(at, &bbox);
        let belongs = |frame: usize, other: &BBox| {
            (frame == at && *other == bbox)
                || looks.iter().any(|look| look.view == frame && look.bbox.iou(other) >= LINK_MIN_IOU)
        };
        let mut sightings = Vec::new();
        detections.retain(|(_, frame, other)| {
            let linked = belongs(*frame, other);
            if linked {
                sightings.push((*frame, *other));
            }
            !linked
        });
        instances.push(Instance { object, label, sightings });
    }
    instances
}

/// Whether a look shows an object: a detection of its class at the place, or something that fills the
/// place and that the detector may take for another class.
pub(super) fn shows(frames: &WalkFrames, look: &LocatedPlace, label: &str) -> bool {
    frames.views[look.view].objects.iter().any(|seen| {
        let least = if seen.label == label { SAME_CLASS_MIN_IOU } else { ANY_CLASS_MIN_IOU };
        seen.bbox.iou(&look.bbox) >= least
    })
}
