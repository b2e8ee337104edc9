//! Checks the rules that hold for every document.

use super::SpaceDocument;

impl SpaceDocument {
    /// Returns every violation of the document's rules as a message. Empty for a valid document.
    pub fn defects(&self) -> Vec<String> {
        use std::collections::BTreeSet;
        let ids = |it: Vec<&str>| it.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
        let media = ids(self.media.iter().map(|m| m.id.as_str()).collect());
        let frames = ids(self.frames.iter().map(|f| f.id.as_str()).collect());
        let zones = ids(self.zones.iter().map(|z| z.id.as_str()).collect());
        let narration = ids(self.narration.iter().map(|n| n.id.as_str()).collect());
        let runs = ids(self.runs.iter().map(|r| r.id.as_str()).collect());
        let mut defects = Vec::new();
        let mut claim_ids = narration.clone();
        for claim in self.claims() {
            if !claim_ids.insert(claim.id.clone()) {
                defects.push(format!("claim id {} is used twice", claim.id));
            }
            if claim.evidence.is_empty() {
                defects.push(format!("claim {} ({}) has no evidence", claim.id, claim.value));
            }
            if !runs.contains(&claim.run_id) {
                defects.push(format!("claim {} names run {}, which is not listed", claim.id, claim.run_id));
            }
            if !(0.0..=1.0).contains(&claim.confidence) {
                defects.push(format!("claim {} has confidence {}", claim.id, claim.confidence));
            }
        }
        let evidence =
            self.claims().flat_map(|c| &c.evidence).chain(self.objects.iter().flat_map(|o| &o.sightings));
        for e in evidence {
            if !media.contains(&e.media_id) {
                defects.push(format!("evidence names medium {}, which is not listed", e.media_id));
            }
            if e.frame_id.as_ref().is_some_and(|f| !frames.contains(f)) {
                defects.push(format!("evidence names frame {:?}, which is not listed", e.frame_id));
            }
            if e.narration_id.as_ref().is_some_and(|n| !narration.contains(n)) {
                defects.push(format!("evidence names narration {:?}, which is not listed", e.narration_id));
            }
            if e.frame_id.is_none() && e.narration_id.is_none() {
                defects.push("evidence names neither a frame nor narration".to_owned());
            }
        }
        for zone in &self.zones {
            for frame in zone.frame_ids.iter().chain(std::iter::once(&zone.best_frame_id)) {
                if !frames.contains(frame) {
                    defects.push(format!("zone {} names frame {frame}, which is not listed", zone.id));
                }
            }
        }
        let zone_refs = self
            .frames
            .iter()
            .filter_map(|f| f.zone_id.as_ref())
            .chain(self.objects.iter().filter_map(|o| o.zone_id.as_ref()))
            .chain(self.texts.iter().filter_map(|t| t.zone_id.as_ref()))
            .chain(self.narration.iter().filter_map(|n| n.zone_id.as_ref()));
        for zone in zone_refs {
            if !zones.contains(zone) {
                defects.push(format!("zone {zone} is referenced but not listed"));
            }
        }
        for sentence in &self.summary {
            if sentence.claim_ids.is_empty() {
                defects.push(format!("summary sentence without a claim: {}", sentence.text));
            }
            for id in &sentence.claim_ids {
                if !claim_ids.contains(id) {
                    defects.push(format!("summary cites {id}, which is not listed"));
                }
            }
        }
        defects
    }
}
