//! The views of a scan, which are stored beside its document for comparisons with later scans.

use std::collections::BTreeMap;

use registration::{FrameView, SeenObject, SeenText, WalkViews};

use crate::ingest::Ingested;
use crate::observe::{FrameObservation, ObservedBatch};

/// Collects what the kept frames show: their features, and what models found in them.
pub fn views(ingested: &Ingested, observed: &[ObservedBatch]) -> WalkViews {
    let observations: BTreeMap<&str, &FrameObservation> =
        observed.iter().flat_map(|b| &b.frames).map(|s| (s.frame_id.as_str(), s)).collect();
    let view = |view: &crate::ingest::View| {
        let seen = observations.get(view.frame_id.as_str());
        let object = |seen: &crate::observe::Detection| SeenObject {
            label: seen.label.clone(),
            score: seen.score,
            bbox: seen.bbox,
        };
        let text = |seen: &crate::observe::TextReading| SeenText { text: seen.text.clone(), bbox: seen.bbox };
        FrameView {
            frame_id: view.frame_id.clone(),
            run_id: seen.and_then(|seen| seen.run_id.clone()),
            features: view.features.clone(),
            objects: seen.map_or_else(Vec::new, |seen| seen.detections.iter().map(object).collect()),
            texts: seen.map_or_else(Vec::new, |seen| seen.readings.iter().map(text).collect()),
        }
    };
    WalkViews::new(ingested.views.iter().map(view).collect())
}
