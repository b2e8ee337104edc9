//! Tests of hiding credentials and persons.

use serde_json::{Value, json};

use super::*;

const ALL: Hidden = Hidden { credentials: true, persons: true };
const SECRET: &str = "Sunny-Garden-42";

fn seen(frame: usize) -> Value {
    json!({"media_id": "med_video", "frame_id": format!("frm_{frame}"), "score": 0.9})
}

fn claim(id: &str, value: &str, evidence: &Value) -> Value {
    json!({"id": id, "value": value, "confidence": 0.9, "basis": "read", "evidence": [evidence], "run_id": "run_1"})
}

fn text(id: &str, kind: &str, value: &str, frame: usize) -> Value {
    json!({"id": id, "raw": value, "normalized": value.to_lowercase(), "kind": kind,
        "claim": claim(&format!("clm_{id}"), value, &seen(frame))})
}

/// A walk of nine frames: a network key in frame 2 and, unmarked, in frame 8; a person in frame 5.
fn document(kind: &str) -> SpaceDocument {
    let frame = |number: usize| {
        json!({"id": format!("frm_{number}"), "media_id": "med_video", "width": 1, "height": 1, "sharpness": 1.0,
            "exposure": 0.5, "hash": "0", "kept_because": "first", "key": ""})
    };
    let cell = |id: &str, text: &str| json!({"text_id": id, "text": text, "column": 0});
    let spoken = json!({"media_id": "med_video", "narration_id": "nar_1", "score": 0.9});
    let sentence = |id: &str, text: &str| json!({"id": id, "start_ms": 0, "end_ms": 1, "text": text, "source": "client", "confidence": 1.0, "run_id": "run_1"});
    let fact = |id: &str, value: &str, evidence: &Value| json!({"id": id, "kind": "credential", "value": value, "claim": claim(&format!("clm_{id}"), value, evidence)});
    serde_json::from_value(json!({
        "schema_version": "1.1", "kind": "video", "language": "en", "openings": [], "measurements": [],
        "media": [{"id": "med_video", "kind": kind, "sha256": "0", "bytes": 1, "width": 1, "height": 1, "has_audio": false}],
        "frames": (1..=9).map(frame).collect::<Vec<_>>(),
        "zones": [{"id": "zon_1", "label": "Hall", "types": [], "intervals": [], "best_frame_id": "frm_2",
            "frame_ids": ["frm_1", "frm_2", "frm_4", "frm_5"], "attributes": [], "coverage": 1.0}],
        "objects": [],
        "texts": [text("txt_1", "credential", "Password", 2), text("txt_2", "credential", SECRET, 2),
            text("txt_3", "sign", "WLAN sunny garden 42!", 8), text("txt_4", "sign", "EXIT", 7)],
        "narration": [sentence("nar_1", "the door code is four seven one one"), sentence("nar_2", "here is the hall")],
        "boards": [{"id": "brd_1", "claim": claim("clm_board", "Password\n…", &seen(2)),
            "rows": [{"heading": false, "cells": [cell("txt_1", "Password")]}, {"heading": false, "cells": [cell("txt_2", SECRET)]}]}],
        "facts": [fact("fct_1", SECRET, &seen(2)), fact("fct_2", "4711", &spoken)],
        "privacy": [
            {"id": "prv_1", "kind": "credential", "claim": claim("clm_prv_1", "credential in a text", &seen(2))},
            {"id": "prv_2", "kind": "person", "claim": claim("clm_prv_2", "person in zon_1", &seen(5))}],
        "relations": [],
        "summary": [{"text": "A sign reads EXIT.", "claim_ids": ["clm_txt_4"]},
            {"text": format!("The key is {SECRET}."), "claim_ids": ["clm_txt_4"]}],
        "quality": {"blurred": 0.0, "dark": 0.0, "uncovered": [], "warnings": []},
        "runs": [{"id": "run_1", "task": "text", "provider": "packaged", "model": "m", "version": "1", "parameters": {}}],
    }))
    .unwrap()
}

fn redacted(hidden: Hidden) -> (SpaceDocument, Vec<String>) {
    let mut document = document("video");
    let frames = document.redact(hidden).into_iter().collect();
    assert_eq!(document.defects(), Vec::<String>::new());
    (document, frames)
}

#[test]
fn a_credential_is_gone_wherever_it_was_read_or_said() {
    let (document, frames) = redacted(ALL);
    let json = serde_json::to_string(&document).unwrap();
    for part in [SECRET, "sunny", "4711", "four seven", "prv_1"] {
        assert!(!json.contains(part), "{part} is left in {json}");
    }
    assert_eq!(document.texts.iter().map(|text| text.raw.as_str()).collect::<Vec<_>>(), ["EXIT"]);
    assert_eq!(
        (document.narration[0].text.as_str(), document.narration[1].text.as_str()),
        ("[hidden]", "here is the hall")
    );
    assert_eq!((document.summary.len(), document.boards.len(), document.facts.len()), (1, 0, 0));
    assert!(frames.contains(&"frm_8".to_owned()), "read there too, in another zone: {frames:?}");
}

#[test]
fn pictures_of_persons_and_credentials_are_withheld_with_the_frames_beside_them() {
    let of = |credentials, persons| redacted(Hidden { credentials, persons }).1;
    assert_eq!(of(false, true), ["frm_4", "frm_5", "frm_6"]);
    assert_eq!(of(true, false), ["frm_1", "frm_2", "frm_3", "frm_7", "frm_8", "frm_9"]);
    // Photos are taken one by one.
    let mut photos = document("photo");
    assert_eq!(photos.redact(ALL).into_iter().collect::<Vec<_>>(), ["frm_2", "frm_5", "frm_8"]);
}

#[test]
fn a_zone_is_shown_by_a_frame_that_may_be_seen() {
    let (document, _) = redacted(Hidden { credentials: true, persons: false });
    assert_eq!(document.zones[0].best_frame_id, "frm_4");
}

#[test]
fn an_owner_who_hides_nothing_shares_all_but_the_history_of_corrections() {
    let (shared, frames) = redacted(Hidden { credentials: false, persons: false });
    assert!(frames.is_empty());
    assert_eq!(shared.texts.len(), 4);
    assert_eq!((shared.privacy.len(), shared.corrections.len()), (2, 0));
}

#[test]
fn a_short_code_does_not_hide_every_text_that_contains_it() {
    let mut document = document("video");
    document.facts[0].value = "7".to_owned();
    document.texts[3].raw = "Room 17".to_owned();
    document.redact(ALL);
    assert!(document.texts.iter().any(|text| text.raw == "Room 17"));
}
