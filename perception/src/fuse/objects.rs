//! Merges detections of one class in one zone over frames.

use std::collections::BTreeMap;

use domain::document::{BBox, Evidence};

use super::counts::{self, FrameBoxes, Interval};
use super::overlaps::Overlaps;
use super::{FusedObject, evidence, run_of};
use crate::ingest::Ingested;
use crate::observation::PERSON;
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
/// Share of the smaller of two boxes of one class inside the larger from which the less certain one
/// is a part of the other.
const CONTAINED_MIN_SHARE: f64 = 0.7;
/// Minimum number of features that agree with the alignment of two frames to follow objects from one
/// to the other.
const REGISTERED_MIN_INLIERS: usize = 12;
/// Number of frames whose best sightings make up the confidence of an object.
const CONFIDENCE_FRAMES: usize = 3;
/// Maximum confidence of an object: some mistakes look the same in all frames.
const MAX_CONFIDENCE: f64 = 0.95;
/// Maximum number of sightings listed for one object.
const MAX_SIGHTINGS: usize = 12;

/// A zone and a class.
type Key<'a> = (Option<usize>, &'a str);

/// Returns the objects of a space: one entry per zone and class, in order of zone and first
/// sighting. An object needs sightings in several frames.
pub(super) fn objects(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    overlaps: &Overlaps,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedObject> {
    let mut classes = BTreeMap::<Key, Vec<FrameSightings>>::new();
    for (index, frame) in ingested.frames.iter().enumerate() {
        let Some(observation) = observations.get(frame.id.as_str()) else { continue };
        let mut here = BTreeMap::<&str, Vec<Evidence>>::new();
        let objects = observation.detections.iter().filter(|found| found.label != PERSON);
        for detection in suppress_overlaps(objects) {
            if let Some(base) = evidence(ingested, &frame.id, detection.score) {
                here.entry(&detection.label)
                    .or_default()
                    .push(Evidence { bbox: Some(detection.bbox), ..base });
            }
        }
        for (label, sightings) in here {
            let of_class = classes.entry((zone_of.get(&frame.id).copied(), label)).or_default();
            of_class.push(FrameSightings { index, sightings });
        }
    }
    let most = |frames: &[FrameSightings]| all_sightings(frames).map(|s| s.score).fold(0.0, f64::max);
    let best: BTreeMap<Key, f64> = classes.iter().map(|(key, frames)| (*key, most(frames))).collect();
    let sure = |(key, frames): &(Key, Vec<FrameSightings>)| {
        let least = MIN_BEST_SCORES
            .iter()
            .find(|(class, _)| *class == key.1)
            .map_or(DEFAULT_MIN_BEST_SCORE, |(_, least)| *least);
        frames.len() >= MIN_FRAMES && best[key] >= least && !is_outscored(&best, *key)
    };
    let joined = classes.into_iter().filter(sure);
    let fused = |((zone, label), frames): (Key, Vec<FrameSightings>)| {
        let registered =
            overlaps.pairs().filter(|(_, alignment)| alignment.inliers >= REGISTERED_MIN_INLIERS);
        let boxes: Vec<FrameBoxes> = frames.iter().map(boxes).collect();
        let aligned = registered.map(|(pair, alignment)| (pair, move |b: &BBox| alignment.map(b)));
        fuse_object(observations, zone, label, &frames, counts::count(&boxes, aligned))
    };
    joined.map(fused).collect()
}

/// Sightings of one class in one frame.
struct FrameSightings {
    /// Index of the frame.
    index: usize,
    sightings: Vec<Evidence>,
}

fn all_sightings(frames: &[FrameSightings]) -> impl Iterator<Item = &Evidence> {
    frames.iter().flat_map(|frame| &frame.sightings)
}

fn boxes(frame: &FrameSightings) -> FrameBoxes {
    let from = |least: f64| frame.sightings.iter().filter(move |one| one.score >= least);
    FrameBoxes {
        index: frame.index,
        counted: from(COUNT_MIN_SCORE).filter_map(|one| one.bbox).collect(),
        all: from(MIN_SCORE).filter_map(|one| one.bbox).collect(),
    }
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
/// with the best score stays; so it is of a detection inside another of its class.
fn suppress_overlaps<'a>(detections: impl Iterator<Item = &'a Detection>) -> Vec<&'a Detection> {
    let mut order: Vec<&Detection> = detections.filter(|d| d.score >= MIN_SCORE).collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.label.cmp(&b.label)));
    let mut kept: Vec<&Detection> = Vec::new();
    for one in order {
        let differs = |other: &&Detection| {
            if other.label == one.label {
                contained_share(&other.bbox, &one.bbox) <= CONTAINED_MIN_SHARE
            } else {
                other.bbox.iou(&one.bbox) < SAME_OBJECT_MIN_IOU
            }
        };
        if kept.iter().all(differs) {
            kept.push(one);
        }
    }
    kept
}

/// Returns the share of the smaller box that is inside the larger.
fn contained_share(a: &BBox, b: &BBox) -> f64 {
    let common =
        |a: f64, a_size: f64, b: f64, b_size: f64| ((a + a_size).min(b + b_size) - a.max(b)).max(0.0);
    let smaller = (a.w * a.h).min(b.w * b.h);
    common(a.x, a.w, b.x, b.w) * common(a.y, a.h, b.y, b.h) / smaller.max(f64::MIN_POSITIVE)
}

/// Returns the probability that an object is there, from the best sightings in different frames: it
/// is wrong only if all of them are (noisy OR). Frames of one walk are not independent, so only a few
/// count.
fn confidence(frames: &[FrameSightings]) -> f64 {
    let best = |frame: &FrameSightings| frame.sightings.iter().map(|one| one.score).fold(0.0, f64::max);
    let mut scores: Vec<f64> = frames.iter().map(best).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let wrong: f64 = scores.iter().take(CONFIDENCE_FRAMES).map(|score| 1.0 - score).product();
    (1.0 - wrong).min(MAX_CONFIDENCE)
}

/// Merges the sightings of a class in a zone.
fn fuse_object(
    observations: &BTreeMap<&str, &FrameObservation>,
    zone: Option<usize>,
    label: &str,
    frames: &[FrameSightings],
    Interval { min, max }: Interval,
) -> FusedObject {
    let mut sightings: Vec<Evidence> = all_sightings(frames).cloned().collect();
    sightings.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.frame_id.cmp(&b.frame_id)));
    sightings.truncate(MAX_SIGHTINGS);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    FusedObject {
        label: label.to_owned(),
        confidence: thousandths(confidence(frames)),
        zone,
        min: count(min),
        best: count(min),
        max: count(max),
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
        let labels: Vec<&str> = suppress_overlaps(all.iter()).iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["couch", "chair"]);
        // Two chairs side by side are two objects.
        let chairs = [seen("chair", 0.5, 0.1), seen("chair", 0.5, 0.5)];
        assert_eq!(suppress_overlaps(chairs.iter()).len(), 2);
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
    fn a_box_inside_another_of_its_class_is_a_part_of_it() {
        let chair = seen("chair", 0.7, 0.1);
        let part = Detection { bbox: BBox { x: 0.12, y: 0.22, w: 0.1, h: 0.1 }, ..seen("chair", 0.5, 0.0) };
        assert_eq!(suppress_overlaps([chair.clone(), part].iter()), [&chair]);
    }

    /// Returns a frame with sightings of these scores.
    fn frame(scores: &[f64]) -> FrameSightings {
        let one = |score: &f64| Evidence {
            media_id: "med_video".to_owned(),
            frame_id: Some("frm_00001".to_owned()),
            t_ms: None,
            ordinal: None,
            bbox: Some(BBox { x: 0.1, y: 0.2, w: 0.2, h: 0.2 }),
            narration_id: None,
            score: *score,
        };
        FrameSightings { index: 0, sightings: scores.iter().map(one).collect() }
    }

    #[test]
    fn confidence_grows_with_frames_and_stays_below_certainty() {
        let of =
            |frames: &[&[f64]]| confidence(&frames.iter().map(|scores| frame(scores)).collect::<Vec<_>>());
        assert!((of(&[&[0.5], &[0.4]]) - 0.7).abs() < 1e-9);
        assert!(
            (of(&[&[0.5, 0.5, 0.5], &[0.4]]) - 0.7).abs() < 1e-9,
            "three boxes in one frame are one look"
        );
        assert!(of(&[&[0.5], &[0.4], &[0.4]]) > of(&[&[0.5], &[0.4]]));
        assert!((of(&[&[0.8][..]; 20]) - MAX_CONFIDENCE).abs() < 1e-9);
    }
}
