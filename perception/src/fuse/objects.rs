//! Merges detections of one class in one zone over frames.

use std::collections::BTreeMap;

use domain::document::Evidence;

use super::{FusedObject, evidence, run_of};
use crate::ingest::Ingested;
use crate::observe::{Detection, FrameObservation};
use crate::signal::thousandths;

/// Minimum score of a detection to count as a sighting.
const MIN_SCORE: f64 = 0.35;
/// Minimum number of frames with a sighting of an object.
const MIN_FRAMES: usize = 2;
/// Minimum of the best score of an object, measured on rendered walks and photos
/// (docs/evaluation.md).
const DEFAULT_MIN_BEST_SCORE: f64 = 0.5;
/// Minimum of the best score for individual classes. It is higher where other objects look similar
/// (pictures like screens, knobs and lamps like bowls), and lower where none do.
const MIN_BEST_SCORES: [(&str, f64); 10] = [
    ("tv", 0.71),
    ("book", 0.65),
    ("bottle", 0.65),
    ("bowl", 0.65),
    ("vase", 0.65),
    ("wine glass", 0.65),
    ("bed", 0.45),
    ("clock", 0.45),
    ("oven", 0.45),
    ("sink", 0.45),
];
/// Classes that detectors confuse. Of each pair, a zone keeps only the one with the better score.
/// (A laptop has a keyboard.)
const CONFUSED_CLASSES: [(&str, &str); 2] = [("bed", "couch"), ("keyboard", "laptop")];
/// Minimum score of sightings that are counted. Less certain ones are often a second box of the
/// same object.
const COUNT_MIN_SCORE: f64 = 0.45;
/// Intersection over union from which detections of two classes are one object, of the class with
/// the better score.
const SAME_OBJECT_MIN_IOU: f64 = 0.6;
/// Maximum number of sightings listed for one object.
const MAX_SIGHTINGS: usize = 12;

/// A zone and a class.
type Key<'a> = (Option<usize>, &'a str);

/// Returns the objects of a space: one entry per zone and class, in order of zone and first
/// sighting. An object needs sightings in several frames.
pub(super) fn objects(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedObject> {
    // Sightings per frame.
    let mut classes = BTreeMap::<Key, Vec<Vec<Evidence>>>::new();
    for frame in &ingested.frames {
        let Some(observation) = observations.get(frame.id.as_str()) else { continue };
        let mut here = BTreeMap::<&str, Vec<Evidence>>::new();
        for detection in suppress_overlaps(&observation.detections) {
            if let Some(base) = evidence(ingested, &frame.id, detection.score) {
                here.entry(&detection.label)
                    .or_default()
                    .push(Evidence { bbox: Some(detection.bbox), ..base });
            }
        }
        for (label, sightings) in here {
            classes.entry((zone_of.get(&frame.id).copied(), label)).or_default().push(sightings);
        }
    }
    let most = |frames: &[Vec<Evidence>]| frames.iter().flatten().map(|s| s.score).fold(0.0, f64::max);
    let best: BTreeMap<Key, f64> = classes.iter().map(|(key, frames)| (*key, most(frames))).collect();
    let sure = |(key, frames): &(Key, Vec<Vec<Evidence>>)| {
        let least = MIN_BEST_SCORES
            .iter()
            .find(|(class, _)| *class == key.1)
            .map_or(DEFAULT_MIN_BEST_SCORE, |(_, least)| *least);
        frames.len() >= MIN_FRAMES && best[key] >= least && !is_outscored(&best, *key)
    };
    let joined = classes.into_iter().filter(sure);
    joined.map(|((zone, label), frames)| fuse_object(observations, zone, label, &frames)).collect()
}

/// Returns true if the confused class has a better score in the same zone.
fn is_outscored(best: &BTreeMap<Key, f64>, (zone, label): Key) -> bool {
    let rival = |&(a, b): &(&'static str, &'static str)| match label {
        _ if label == a => Some(b),
        _ if label == b => Some(a),
        _ => None,
    };
    let mut rivals = CONFUSED_CLASSES.iter().filter_map(rival).filter_map(|rival| best.get(&(zone, rival)));
    rivals.any(|rival| *rival > best[&(zone, label)])
}

/// Returns the sightings of a frame. Of overlapping detections with different classes, only the one
/// with the best score stays.
fn suppress_overlaps(detections: &[Detection]) -> Vec<&Detection> {
    let mut order: Vec<&Detection> = detections.iter().filter(|d| d.score >= MIN_SCORE).collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.label.cmp(&b.label)));
    let mut kept: Vec<&Detection> = Vec::new();
    for one in order {
        if kept
            .iter()
            .all(|other| other.label == one.label || other.bbox.iou(&one.bbox) < SAME_OBJECT_MIN_IOU)
        {
            kept.push(one);
        }
    }
    kept
}

fn fuse_object(
    observations: &BTreeMap<&str, &FrameObservation>,
    zone: Option<usize>,
    label: &str,
    frames: &[Vec<Evidence>],
) -> FusedObject {
    let counted =
        |frame: &Vec<Evidence>| frame.iter().filter(|sighting| sighting.score >= COUNT_MIN_SCORE).count();
    let mut counts: Vec<usize> = frames.iter().map(counted).collect();
    counts.sort_unstable();
    // This count was reached in two frames; a single frame may show duplicates.
    let sure = counts[counts.len() - 2];
    let most = counts.iter().sum::<usize>();
    let mut sightings: Vec<Evidence> = frames.iter().flatten().cloned().collect();
    sightings.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.frame_id.cmp(&b.frame_id)));
    let top: Vec<f64> = sightings.iter().take(3).map(|s| s.score).collect();
    let mean = top.iter().sum::<f64>() / top.len().max(1) as f64;
    sightings.truncate(MAX_SIGHTINGS);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    FusedObject {
        label: label.to_owned(),
        confidence: thousandths(mean),
        zone,
        min: count(sure.max(1)),
        best: count(sure.max(1)),
        max: count(most.max(1)),
        run_id: run_of(observations, &sightings, "run_objects"),
        sightings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::BBox;

    fn seen(label: &str, score: f64, x: f64) -> Detection {
        Detection { label: label.to_owned(), score, bbox: BBox { x, y: 0.2, w: 0.2, h: 0.2 } }
    }

    #[test]
    fn keeps_the_best_class_of_overlapping_detections() {
        let all = [
            seen("bed", 0.5, 0.1),
            seen("couch", 0.6, 0.11),
            seen("chair", 0.4, 0.6),
            seen("vase", 0.2, 0.8),
        ];
        let labels: Vec<&str> = suppress_overlaps(&all).iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["couch", "chair"]);
        // Two chairs side by side are two objects.
        let chairs = [seen("chair", 0.5, 0.1), seen("chair", 0.5, 0.5)];
        assert_eq!(suppress_overlaps(&chairs).len(), 2);
    }

    fn evidence(scores: &[f64]) -> Vec<Evidence> {
        let one = |score: &f64| Evidence {
            media_id: "med_video".to_owned(),
            frame_id: Some("frm_00001".to_owned()),
            t_ms: None,
            ordinal: None,
            bbox: None,
            narration_id: None,
            score: *score,
        };
        scores.iter().map(one).collect()
    }

    #[test]
    fn drops_the_less_certain_of_confused_classes() {
        let best = BTreeMap::from([
            ((Some(0), "laptop"), 0.7),
            ((Some(0), "keyboard"), 0.6),
            ((Some(1), "keyboard"), 0.6),
            ((Some(1), "couch"), 0.6),
        ]);
        assert!(is_outscored(&best, (Some(0), "keyboard")) && !is_outscored(&best, (Some(0), "laptop")));
        assert!(!is_outscored(&best, (Some(1), "keyboard")), "the laptop is elsewhere");
        assert!(!is_outscored(&best, (Some(1), "couch")), "no bed was seen");
    }

    #[test]
    fn counts_what_two_frames_show_at_once() {
        let frames = [evidence(&[0.7, 0.6, 0.5, 0.36]), evidence(&[0.6, 0.5]), evidence(&[0.4])];
        let found = fuse_object(&BTreeMap::new(), Some(0), "chair", &frames);
        assert_eq!((found.min, found.best, found.max), (2, 2, 5));
    }
}
