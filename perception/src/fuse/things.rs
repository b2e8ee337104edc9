//! Detections of one class in one zone, joined over frames.

use std::collections::BTreeMap;

use domain::document::Evidence;

use super::{FusedThing, evidence, run_of};
use crate::ingest::Ingested;
use crate::observe::{Seen, SeenThing};
use crate::signal::thousandths;

/// A detection below this is no sighting.
const SIGHTING: f64 = 0.35;
/// A thing must be seen in so many frames…
const MIN_FRAMES: usize = 2;
/// …and this surely in one of them. Found on rendered walks and photos: see docs/evaluation.md.
const SURE: f64 = 0.5;
/// Classes that need more, because other things of rooms look like them (pictures like screens, knobs and lamps like
/// bowls), and those that need less, because nothing does.
const CALIBRATED: [(&str, f64); 10] = [
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
const TAKEN_FOR: [(&str, &str); 2] = [("bed", "couch"), ("keyboard", "laptop")];
/// Sightings from here on are counted: the less sure ones are often a second box of the same thing.
const COUNTED: f64 = 0.45;
/// Two classes in one place are one thing, of the surer class.
const SAME_PLACE: f64 = 0.6;
/// Most places listed for one thing.
const MAX_SIGHTINGS: usize = 12;

/// A class in a zone.
type Key<'a> = (Option<usize>, &'a str);

/// The things of a space: for each zone and class one entry, in order of zone and first sight. Nothing is
/// said from one frame only.
pub(super) fn things(
    ingested: &Ingested,
    seen: &BTreeMap<&str, &Seen>,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedThing> {
    // For each frame the sightings in it.
    let mut classes = BTreeMap::<Key, Vec<Vec<Evidence>>>::new();
    for frame in &ingested.frames {
        let Some(seen) = seen.get(frame.id.as_str()) else { continue };
        let mut here = BTreeMap::<&str, Vec<Evidence>>::new();
        for thing in surest(&seen.detections) {
            if let Some(base) = evidence(ingested, &frame.id, thing.score) {
                here.entry(&thing.label).or_default().push(Evidence { bbox: Some(thing.bbox), ..base });
            }
        }
        for (label, sightings) in here {
            classes.entry((zone_of.get(&frame.id).copied(), label)).or_default().push(sightings);
        }
    }
    let most = |frames: &[Vec<Evidence>]| frames.iter().flatten().map(|s| s.score).fold(0.0, f64::max);
    let best: BTreeMap<Key, f64> = classes.iter().map(|(key, frames)| (*key, most(frames))).collect();
    let sure = |(key, frames): &(Key, Vec<Vec<Evidence>>)| {
        let least = CALIBRATED.iter().find(|(class, _)| *class == key.1).map_or(SURE, |(_, least)| *least);
        frames.len() >= MIN_FRAMES && best[key] >= least && !outdone(&best, *key)
    };
    let joined = classes.into_iter().filter(sure);
    joined.map(|((zone, label), frames)| thing(seen, zone, label, &frames)).collect()
}

/// Whether what this class is taken for was seen more surely in the same zone.
fn outdone(best: &BTreeMap<Key, f64>, (zone, label): Key) -> bool {
    let rival = |&(a, b): &(&'static str, &'static str)| match label {
        _ if label == a => Some(b),
        _ if label == b => Some(a),
        _ => None,
    };
    let mut rivals = TAKEN_FOR.iter().filter_map(rival).filter_map(|rival| best.get(&(zone, rival)));
    rivals.any(|rival| *rival > best[&(zone, label)])
}

/// The sightings of a frame: where two classes are seen in one place, only the surer.
fn surest(detections: &[SeenThing]) -> Vec<&SeenThing> {
    let mut order: Vec<&SeenThing> = detections.iter().filter(|d| d.score >= SIGHTING).collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.label.cmp(&b.label)));
    let mut kept: Vec<&SeenThing> = Vec::new();
    for one in order {
        if kept.iter().all(|other| other.label == one.label || other.bbox.iou(&one.bbox) < SAME_PLACE) {
            kept.push(one);
        }
    }
    kept
}

fn thing(
    seen: &BTreeMap<&str, &Seen>,
    zone: Option<usize>,
    label: &str,
    frames: &[Vec<Evidence>],
) -> FusedThing {
    let counted = |frame: &Vec<Evidence>| frame.iter().filter(|sighting| sighting.score >= COUNTED).count();
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
    FusedThing {
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

    fn seen(label: &str, score: f64, x: f64) -> SeenThing {
        SeenThing { label: label.to_owned(), score, bbox: BBox { x, y: 0.2, w: 0.2, h: 0.2 } }
    }

    #[test]
    fn one_place_holds_one_class_and_unsure_sightings_none() {
        let all = [
            seen("bed", 0.5, 0.1),
            seen("couch", 0.6, 0.11),
            seen("chair", 0.4, 0.6),
            seen("vase", 0.2, 0.8),
        ];
        let labels: Vec<&str> = surest(&all).iter().map(|one| one.label.as_str()).collect();
        assert_eq!(labels, ["couch", "chair"]);
        // Two chairs side by side are two.
        let chairs = [seen("chair", 0.5, 0.1), seen("chair", 0.5, 0.5)];
        assert_eq!(surest(&chairs).len(), 2);
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
        assert!(outdone(&best, (Some(0), "keyboard")) && !outdone(&best, (Some(0), "laptop")));
        assert!(!outdone(&best, (Some(1), "keyboard")), "the laptop is elsewhere");
        assert!(!outdone(&best, (Some(1), "couch")), "no bed was seen");
    }

    #[test]
    fn as_many_as_two_frames_show_at_once() {
        let frames = [evidence(&[0.7, 0.6, 0.5, 0.36]), evidence(&[0.6, 0.5]), evidence(&[0.4])];
        let found = thing(&BTreeMap::new(), Some(0), "chair", &frames);
        assert_eq!((found.min, found.best, found.max), (2, 2, 5));
    }
}
