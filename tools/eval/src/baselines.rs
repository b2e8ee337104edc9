//! Baselines: documents that are made from less information than the pipeline has.

use domain::document::{Basis, Claim, Interval, Object, SpaceDocument, Text, TextKind, Zone};
use walkgen::truth::Truth;

use super::{
    document_metrics,
    metrics::Metrics,
    places::{self, Place},
};

/// Metrics of the baselines.
#[derive(Default)]
pub(super) struct Baselines {
    /// An empty document.
    pub(super) blind: Metrics,
    /// The same guess for every space: a living room with an exit sign and a chair.
    pub(super) constant: Metrics,
    /// Only the texts, in a single zone.
    pub(super) text_only: Metrics,
}

impl Baselines {
    pub(super) fn measure(&mut self, document: &SpaceDocument, truth: &Truth) {
        document_metrics::measure(&blind(document), truth, &mut self.blind);
        document_metrics::measure(&constant(document), truth, &mut self.constant);
        document_metrics::measure(&text_only(document), truth, &mut self.text_only);
    }

    pub(super) fn measure_place(&mut self, document: &SpaceDocument, truth: &Place) {
        places::measure(&blind(document), truth, &mut self.blind);
        places::measure(&constant(document), truth, &mut self.constant);
        places::measure(&text_only(document), truth, &mut self.text_only);
    }
}

/// Removes all findings.
pub(super) fn blind(document: &SpaceDocument) -> SpaceDocument {
    SpaceDocument {
        frames: Vec::new(),
        zones: Vec::new(),
        openings: Vec::new(),
        objects: Vec::new(),
        texts: Vec::new(),
        narration: Vec::new(),
        measurements: Vec::new(),
        boards: Vec::new(),
        facts: Vec::new(),
        privacy: Vec::new(),
        corrections: Vec::new(),
        relations: Vec::new(),
        summary: Vec::new(),
        ..document.clone()
    }
}

/// Keeps only the frames and the texts, in a single zone.
pub(super) fn text_only(document: &SpaceDocument) -> SpaceDocument {
    let mut only = blind(document);
    only.frames = document.frames.clone();
    only.texts = document.texts.clone();
    only.zones = vec![whole_zone(document, Vec::new())];
    only.frames.iter_mut().for_each(|frame| frame.zone_id = None);
    only.texts.iter_mut().for_each(|text| text.zone_id = None);
    only
}

/// Replaces all findings with the same guess for every space.
pub(super) fn constant(document: &SpaceDocument) -> SpaceDocument {
    let mut same = blind(document);
    let Some(frame) = document.frames.first() else { return same };
    let claim = |value: &str, number: usize| Claim {
        id: format!("clm_{number:04}"),
        value: value.to_owned(),
        confidence: 0.5,
        basis: Basis::Inferred,
        evidence: vec![frame.evidence(None, 0.5)],
        run_id: document.runs.first().map(|run| run.id.clone()).unwrap_or_default(),
    };
    same.frames = document.frames.iter().step_by(4).cloned().collect();
    same.zones = vec![whole_zone(document, vec![claim("living room", 1)])];
    same.frames.iter_mut().for_each(|frame| frame.zone_id = None);
    same.texts = vec![Text {
        id: "txt_1".to_owned(),
        raw: "EXIT".to_owned(),
        normalized: "exit".to_owned(),
        kind: TextKind::Sign,
        zone_id: Some("zon_1".to_owned()),
        claim: claim("EXIT", 2),
    }];
    let category = claim("chair", 3);
    same.objects = vec![Object {
        id: "obj_1".to_owned(),
        sightings: category.evidence.clone(),
        category,
        zone_id: Some("zon_1".to_owned()),
        count: domain::document::Count { min: 1, best: 1, max: 1 },
        condition: None,
    }];
    same
}

/// Returns one zone that covers the whole document.
fn whole_zone(document: &SpaceDocument, types: Vec<Claim>) -> Zone {
    let end = document.zones.iter().flat_map(|z| &z.intervals).map(|i| i.end).max().unwrap_or_default();
    let frame_ids: Vec<String> = document.frames.iter().map(|f| f.id.clone()).collect();
    Zone {
        id: "zon_1".to_owned(),
        label: "Zone 1".to_owned(),
        types,
        intervals: vec![Interval { start: 0, end }],
        best_frame_id: document.frames.first().map(|f| f.id.clone()).unwrap_or_default(),
        frame_ids,
        attributes: Vec::new(),
        coverage: 1.0,
    }
}
