//! Collects what models saw of furniture in each zone, sure or not.
//!
//! An object of the document needs sightings in two frames. One photo of a room never has two, and a
//! detector misses much in a short visit; a room type can follow from several uncertain sightings.

use std::collections::BTreeMap;

use domain::document::Evidence;

use super::{FusedHint, evidence};
use crate::ingest::Ingested;
use crate::observation::{Detection, PERSON};
use crate::observe::FrameObservation;
use crate::signal::thousandths;

/// Share of right detections by score of the object detector, measured on scenes for development of
/// another renderer (259 frames; docs/evaluation.md). Values in between are interpolated.
const DETECTION_PRECISION: [(f64, f64); 5] =
    [(0.35, 0.65), (0.45, 0.75), (0.55, 0.85), (0.65, 0.93), (0.8, 0.97)];
/// Share of right classes of regions at probability 0, and its increase up to probability 1, measured
/// on the same frames.
const REGION_PRECISION: (f64, f64) = (0.45, 0.55);
/// Maximum of either share.
const MAX_PRECISION: f64 = 0.97;
/// Factor on the doubt of the best sighting where a second frame agrees, and where more do. Frames of
/// one visit repeat their mistakes, so they don't multiply.
const DOUBT_OF_TWO_FRAMES: f64 = 0.6;
/// The same for three frames and more.
const DOUBT_OF_MORE_FRAMES: f64 = 0.4;
/// Maximum number of sightings listed for one hint.
const MAX_SIGHTINGS: usize = 3;

/// Returns the hints of each zone, in order of zone and class.
pub(super) fn hints(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedHint> {
    let mut found = BTreeMap::<(usize, &str), Vec<Evidence>>::new();
    for frame in &ingested.frames {
        let observation = observations.get(frame.id.as_str());
        let (Some(observation), Some(zone)) = (observation, zone_of.get(&frame.id)) else { continue };
        for (label, (probability, detection)) in best_by_label(observation) {
            if let Some(base) = evidence(ingested, &frame.id, probability) {
                let sighting = Evidence { bbox: Some(detection.bbox), ..base };
                found.entry((*zone, label)).or_default().push(sighting);
            }
        }
    }
    let hint = |((zone, label), mut sightings): ((usize, &str), Vec<Evidence>)| {
        sightings.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.frame_id.cmp(&b.frame_id)));
        let probability = thousandths(probability(&sightings));
        sightings.truncate(MAX_SIGHTINGS);
        FusedHint { label: label.to_owned(), zone, probability, sightings }
    };
    found.into_iter().map(hint).collect()
}

/// Returns the best sighting of each class in a frame, with the probability that it is right.
fn best_by_label(observation: &FrameObservation) -> BTreeMap<&str, (f64, &Detection)> {
    let objects = observation.detections.iter().filter(|found| found.label != PERSON);
    let objects = objects.map(|found| (detection_precision(found.score), found));
    let regions = observation.furniture.iter().map(|found| (region_precision(found.score), found));
    let mut best = BTreeMap::<&str, (f64, &Detection)>::new();
    for (probability, found) in objects.chain(regions).filter(|(probability, _)| *probability > 0.0) {
        let entry = best.entry(&found.label).or_insert((probability, found));
        if probability > entry.0 {
            *entry = (probability, found);
        }
    }
    best
}

/// Returns the probability that a class is there, from the sightings of different frames, best first.
fn probability(sightings: &[Evidence]) -> f64 {
    let doubt = 1.0 - sightings.first().map_or(0.0, |best| best.score);
    match sightings.len() {
        0 | 1 => 1.0 - doubt,
        2 => 1.0 - doubt * DOUBT_OF_TWO_FRAMES,
        _ => 1.0 - doubt * DOUBT_OF_MORE_FRAMES,
    }
}

/// Returns the share of right detections with this score; 0 below the least score that was measured.
fn detection_precision(score: f64) -> f64 {
    let after = DETECTION_PRECISION.iter().position(|(at, _)| score < *at);
    match after {
        Some(0) => 0.0,
        Some(next) => {
            let ((x0, y0), (x1, y1)) = (DETECTION_PRECISION[next - 1], DETECTION_PRECISION[next]);
            y0 + (y1 - y0) * (score - x0) / (x1 - x0)
        }
        None => MAX_PRECISION,
    }
}

fn region_precision(probability: f64) -> f64 {
    (REGION_PRECISION.0 + REGION_PRECISION.1 * probability).min(MAX_PRECISION)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighting(score: f64) -> Evidence {
        Evidence {
            media_id: "med_video".to_owned(),
            frame_id: Some("frm_00001".to_owned()),
            t_ms: None,
            ordinal: None,
            bbox: None,
            narration_id: None,
            score,
        }
    }

    #[test]
    fn one_photo_is_enough_for_a_hint_and_more_frames_leave_less_doubt() {
        let of = |count: usize| probability(&vec![sighting(0.7); count]);
        assert!((of(1) - 0.7).abs() < 1e-9);
        assert!(of(1) < of(2) && of(2) < of(3) && of(3) < 1.0);
        assert!((of(3) - of(30)).abs() < 1e-9, "frames of one visit repeat their mistakes");
    }

    #[test]
    fn precision_grows_with_the_score() {
        assert!(detection_precision(0.2).abs() < 1e-9);
        assert!((detection_precision(0.4) - 0.7).abs() < 1e-9);
        assert!((detection_precision(0.99) - MAX_PRECISION).abs() < 1e-9);
        assert!(region_precision(0.3) < region_precision(0.9));
        assert!(region_precision(1.0) <= MAX_PRECISION);
    }
}
