//! Detections of one class in one zone, joined over frames.

use std::collections::BTreeMap;

use domain::document::Evidence;

use super::{FusedObject, evidence, run_of};
use crate::ingest::Ingested;
use crate::observe::{Detection, FrameObservation};
use crate::signal::thousandths;

/// A detection below this is no sighting.
const MIN_SCORE: f64 = 0.35;
/// A thing must be seen in so many frames…
const MIN_FRAMES: usize = 2;
/// …and this surely in one of them. Found on rendered walks and photos: see docs/evaluation.md.
const DEFAULT_MIN_BEST_SCORE: f64 = 0.5;
/// Classes that need more, because other things of rooms look like them (pictures like screens, knobs and lamps like
/// bowls), and those that need less, because nothing does.
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
/// Classes that one thing is taken for: of a pair, only the one seen more surely is in a zone. (A laptop has a keyboard.)
const CONFUSED_CLASSES: [(&str, &str); 2] = [("bed", "couch"), ("keyboard", "laptop")];
/// Sightings from here on are counted: the less sure ones are often a second box of the same detection.
const COUNT_MIN_SCORE: f64 = 0.45;
/// Two classes in one place are one thing, of the surer class.
const SAME_OBJECT_MIN_IOU: f64 = 0.6;
/// Most places listed for one detection.
const MAX_SIGHTINGS: usize = 12;

/// A class in a zone.
type Key<'a> = (Option<usize>, &'a str);

/// The things of a space: for each zone and class one entry, in order of zone and first sight. Nothing is
/// said from one frame only.
pub(super) fn objects(
    ingested: &Ingested,
    seen: &BTreeMap<&str, &FrameObservation>,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedObject> {
    // For each frame the sightings in it.
    let mut classes = BTreeMap::<Key, Vec<Vec<Evidence>>>::new();
    for frame in &ingested.frames {
        let Some(seen) = seen.get(frame.id.as_str()) else { continue };
        let mut here = BTreeMap::<&str, Vec<Evidence>>::new();
        for detection in suppress_overlaps(&seen.detections) {
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
    joined.map(|((zone, label), frames)| fuse_object(seen, zone, label, &frames)).collect()
}

/// Whether what this class is taken for was seen more surely in the same zone.
fn is_outscored(best: &BTreeMap<Key, f64>, (zone, label): Key) -> bool {
    let rival = |&(a, b): &(&'static str, &'static str)| match label {
        _ if label == a => Some(b),
        _ if label == b => Some(a),
        _ => None,
    };
    let mut rivals = CONFUSED_CLASSES.iter().filter_map(rival).filter_map(|rival| best.get(&(zone, rival)));
    rivals.any(|rival| *rival > best[&(zone, label)])
}

/// The sightings of a frame: where two classes are seen in one place, only the surer.
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
    seen: &BTreeMap<&str, &FrameObservation>,
    zone: Option<usize>,
    label: &str,
    frames: &[Vec<Evidence>],
) -> FusedObject {
    let counted =
        |frame: &Vec<Evidence>| frame.iter().filter(|sighting| sighting.score >= COUNT_MIN_SCORE).count();
    let mut counts: Vec<usize> = frames.iter().map(counted).collect();
    counts.sort_unstable();
    // So many were seen at once in two frames: one frame may see double.
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
        run_id: run_of(seen, &sightings, "run_objects"),
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
    fn one_place_holds_one_class_and_unsure_sightings_none() {
        let all = [
            seen("bed", 0.5, 0.1),
            seen("couch", 0.6, 0.11),
            seen("chair", 0.4, 0.6),
            seen("vase", 0.2, 0.8),
        ];
        let labels: Vec<&str> = suppress_overlaps(&all).iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["couch", "chair"]);
        // Two chairs side by side are two.
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
    fn a_laptop_s_keys_are_no_keyboard_beside_it() {
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
    fn as_many_as_two_frames_show_at_once() {
        let frames = [evidence(&[0.7, 0.6, 0.5, 0.36]), evidence(&[0.6, 0.5]), evidence(&[0.4])];
        let found = fuse_object(&BTreeMap::new(), Some(0), "chair", &frames);
        assert_eq!((found.min, found.best, found.max), (2, 2, 5));
    }
}
