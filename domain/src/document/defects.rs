//! Validates a document.

use std::collections::BTreeSet;

use super::SpaceDocument;

impl SpaceDocument {
    /// Returns every violation of the document's rules as a message. Empty for a valid document.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = self.claim_defects();
        defects.extend(self.evidence_defects());
        defects.extend(self.zone_defects());
        defects.extend(self.summary_defects());
        defects
    }

    fn claim_defects(&self) -> Vec<String> {
        let runs = id_set(self.runs.iter().map(|run| &run.id));
        let mut ids = id_set(self.narration.iter().map(|narration| &narration.id));
        let mut defects = Vec::new();
        for claim in self.claims() {
            if !ids.insert(&claim.id) {
                defects.push(format!("claim id {} is used twice", claim.id));
            }
            if claim.evidence.is_empty() {
                defects.push(format!("claim {} ({}) has no evidence", claim.id, claim.value));
            }
            if !runs.contains(claim.run_id.as_str()) {
                defects.push(format!("claim {} names run {}, which is not listed", claim.id, claim.run_id));
            }
            if !(0.0..=1.0).contains(&claim.confidence) {
                defects.push(format!("claim {} has confidence {}", claim.id, claim.confidence));
            }
        }
        defects
    }

    fn evidence_defects(&self) -> Vec<String> {
        let media = id_set(self.media.iter().map(|medium| &medium.id));
        let frames = id_set(self.frames.iter().map(|frame| &frame.id));
        let narration = id_set(self.narration.iter().map(|narration| &narration.id));
        let of_claims = self.claims().flat_map(|claim| &claim.evidence);
        let of_objects = self.objects.iter().flat_map(|object| &object.sightings);
        let mut defects = Vec::new();
        for evidence in of_claims.chain(of_objects) {
            if !media.contains(evidence.media_id.as_str()) {
                defects.push(format!("evidence names medium {}, which is not listed", evidence.media_id));
            }
            if evidence.frame_id.as_ref().is_some_and(|id| !frames.contains(id.as_str())) {
                defects.push(format!("evidence names frame {:?}, which is not listed", evidence.frame_id));
            }
            if evidence.narration_id.as_ref().is_some_and(|id| !narration.contains(id.as_str())) {
                let id = &evidence.narration_id;
                defects.push(format!("evidence names narration {id:?}, which is not listed"));
            }
            if evidence.frame_id.is_none() && evidence.narration_id.is_none() {
                defects.push("evidence names neither a frame nor narration".to_owned());
            }
        }
        defects
    }

    /// Checks the frames of zones, and the zones that frames, objects, texts and narration name.
    fn zone_defects(&self) -> Vec<String> {
        let frames = id_set(self.frames.iter().map(|frame| &frame.id));
        let zones = id_set(self.zones.iter().map(|zone| &zone.id));
        let mut defects = Vec::new();
        for zone in &self.zones {
            for frame in zone.frame_ids.iter().chain(std::iter::once(&zone.best_frame_id)) {
                if !frames.contains(frame.as_str()) {
                    defects.push(format!("zone {} names frame {frame}, which is not listed", zone.id));
                }
            }
        }
        let named = self
            .frames
            .iter()
            .filter_map(|frame| frame.zone_id.as_ref())
            .chain(self.objects.iter().filter_map(|object| object.zone_id.as_ref()))
            .chain(self.texts.iter().filter_map(|text| text.zone_id.as_ref()))
            .chain(self.narration.iter().filter_map(|narration| narration.zone_id.as_ref()));
        for zone in named.filter(|zone| !zones.contains(zone.as_str())) {
            defects.push(format!("zone {zone} is referenced but not listed"));
        }
        defects
    }

    fn summary_defects(&self) -> Vec<String> {
        let mut ids = id_set(self.narration.iter().map(|narration| &narration.id));
        ids.extend(self.claims().map(|claim| claim.id.as_str()));
        let mut defects = Vec::new();
        for sentence in &self.summary {
            if sentence.claim_ids.is_empty() {
                defects.push(format!("summary sentence without a claim: {}", sentence.text));
            }
            for id in sentence.claim_ids.iter().filter(|id| !ids.contains(id.as_str())) {
                defects.push(format!("summary cites {id}, which is not listed"));
            }
        }
        defects
    }
}

fn id_set<'a>(ids: impl Iterator<Item = &'a String>) -> BTreeSet<&'a str> {
    ids.map(String::as_str).collect()
}
