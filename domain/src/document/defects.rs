//! Validates a document.

use std::collections::BTreeSet;

use super::SpaceDocument;

impl SpaceDocument {
    /// Returns every violation of the document's rules as a message. Empty for a valid document.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = self.claim_defects();
        defects.extend(self.evidence_defects());
        defects.extend(self.zone_defects());
        defects.extend(self.board_defects());
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
            .chain(self.narration.iter().filter_map(|narration| narration.zone_id.as_ref()))
            .chain(self.boards.iter().filter_map(|board| board.zone_id.as_ref()))
            .chain(self.facts.iter().filter_map(|fact| fact.zone_id.as_ref()));
        for zone in named.filter(|zone| !zones.contains(zone.as_str())) {
            defects.push(format!("zone {zone} is referenced but not listed"));
        }
        defects
    }

    /// Checks that cells name listed texts, each once, and that facts name listed boards.
    fn board_defects(&self) -> Vec<String> {
        let texts = id_set(self.texts.iter().map(|text| &text.id));
        let boards = id_set(self.boards.iter().map(|board| &board.id));
        let mut used = BTreeSet::new();
        let mut defects = Vec::new();
        for board in &self.boards {
            if board.rows.iter().any(|row| row.cells.is_empty()) {
                defects.push(format!("board {} has an empty row", board.id));
            }
            let cells: Vec<&str> =
                board.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.text_id.as_str()).collect();
            if cells.len() < 2 {
                defects.push(format!("board {} has fewer than two cells", board.id));
            }
            for text in cells {
                if !texts.contains(text) {
                    defects.push(format!("board {} names text {text}, which is not listed", board.id));
                }
                if !used.insert(text) {
                    defects.push(format!("text {text} is on a board twice"));
                }
            }
        }
        for board in self.facts.iter().filter_map(|fact| fact.board_id.as_ref()) {
            if !boards.contains(board.as_str()) {
                defects.push(format!("a fact names board {board}, which is not listed"));
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn document(boards: &serde_json::Value) -> SpaceDocument {
        let text = |id: &str| {
            let claim = serde_json::json!({
                "id": format!("clm_{id}"), "value": id, "confidence": 0.9, "basis": "read",
                "evidence": [{"media_id": "med_video", "frame_id": "frm_00001", "score": 0.9}],
                "run_id": "run_text",
            });
            serde_json::json!({"id": id, "raw": id, "normalized": id, "kind": "sign", "claim": claim})
        };
        serde_json::from_value(serde_json::json!({
            "schema_version": "1.1", "kind": "video", "language": "en", "zones": [], "openings": [],
            "objects": [], "texts": [text("txt_1"), text("txt_2")], "narration": [], "measurements": [],
            "relations": [], "summary": [], "boards": boards,
            "media": [{"id": "med_video", "kind": "video", "sha256": "0", "bytes": 1, "width": 1,
                "height": 1, "has_audio": false}],
            "frames": [{"id": "frm_00001", "media_id": "med_video", "width": 1, "height": 1,
                "sharpness": 1.0, "exposure": 0.5, "hash": "0", "kept_because": "first", "key": ""}],
            "quality": {"blurred": 0.0, "dark": 0.0, "uncovered": [], "warnings": []},
            "runs": [{"id": "run_text", "task": "text", "provider": "packaged", "model": "m",
                "version": "1", "parameters": {}}],
        }))
        .unwrap()
    }

    #[test]
    fn a_board_lists_two_texts_of_the_document_once() {
        let board = |cells: &[&str]| {
            let cell = |id: &&str| serde_json::json!({"text_id": id, "text": id, "column": 0});
            let rows: Vec<_> =
                cells.iter().map(|id| serde_json::json!({"heading": false, "cells": [cell(id)]})).collect();
            let claim = serde_json::json!({
                "id": "clm_b", "value": "a", "confidence": 0.9, "basis": "inferred", "run_id": "run_text",
                "evidence": [{"media_id": "med_video", "frame_id": "frm_00001", "score": 0.9}],
            });
            serde_json::json!([{"id": "brd_1", "rows": rows, "claim": claim}])
        };
        assert_eq!(document(&board(&["txt_1", "txt_2"])).defects(), Vec::<String>::new());
        assert_eq!(document(&board(&["txt_1"])).defects(), ["board brd_1 has fewer than two cells"]);
        assert_eq!(document(&board(&["txt_1", "txt_1"])).defects(), ["text txt_1 is on a board twice"]);
        assert_eq!(
            document(&board(&["txt_1", "txt_3"])).defects(),
            ["board brd_1 names text txt_3, which is not listed"]
        );
    }

    #[test]
    fn a_document_of_schema_1_0_has_no_boards_and_facts() {
        let mut stored = serde_json::to_value(document(&serde_json::json!([]))).unwrap();
        for field in ["boards", "facts", "privacy"] {
            stored.as_object_mut().unwrap().remove(field);
        }
        let read: SpaceDocument = serde_json::from_value(stored).unwrap();
        assert_eq!((read.boards.len(), read.facts.len(), read.privacy.len()), (0, 0, 0));
    }
}
