//! Detections of one class in one zone, joined over frames.

use std::collections::BTreeMap;

use domain::document::Evidence;

use super::{FusedThing, evidence};
use crate::ingest::Ingested;
use crate::observe::Seen;
use crate::signal::thousandths;

/// A detection below this is no sighting.
const MIN_SCORE: f64 = 0.5;
/// A thing must be seen in so many frames.
const MIN_FRAMES: usize = 2;
/// Most places listed for one thing.
const MAX_SIGHTINGS: usize = 12;

/// The things of a space: for each zone and class one entry, in order of zone and first sight. Nothing is
/// said from one frame only.
pub(super) fn things(
    ingested: &Ingested,
    seen: &BTreeMap<&str, &Seen>,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedThing> {
    // By zone and class: for each frame the sightings in it.
    let mut classes = BTreeMap::<(Option<usize>, &str), Vec<Vec<Evidence>>>::new();
    for frame in &ingested.frames {
        let Some(seen) = seen.get(frame.id.as_str()) else { continue };
        let mut here = BTreeMap::<&str, Vec<Evidence>>::new();
        for thing in seen.detections.iter().filter(|d| d.score >= MIN_SCORE) {
            if let Some(base) = evidence(ingested, &frame.id, thing.score) {
                here.entry(&thing.label).or_default().push(Evidence { bbox: Some(thing.bbox), ..base });
            }
        }
        for (label, sightings) in here {
            classes.entry((zone_of.get(&frame.id).copied(), label)).or_default().push(sightings);
        }
    }
    let joined = classes.into_iter().filter(|(_, frames)| frames.len() >= MIN_FRAMES);
    joined.map(|((zone, label), frames)| thing(zone, label, &frames)).collect()
}

fn thing(zone: Option<usize>, label: &str, frames: &[Vec<Evidence>]) -> FusedThing {
    let mut counts: Vec<usize> = frames.iter().map(Vec::len).collect();
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
        sightings,
    }
}
