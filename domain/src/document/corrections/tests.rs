//! Tests of corrections.

use super::*;

fn document() -> SpaceDocument {
    let evidence = |x: f64| serde_json::json!({"media_id": "med_video", "frame_id": "frm_00001", "bbox": {"x": x, "y": 0.1, "w": 0.1, "h": 0.1}, "score": 0.9});
    let claim = |id: &str, value: &str, x: f64| serde_json::json!({"id": id, "value": value, "confidence": 0.9, "basis": "read", "evidence": [evidence(x)], "run_id": "run_text"});
    let text = |id: &str, value: &str, x: f64| serde_json::json!({"id": id, "raw": value, "normalized": value.to_lowercase(), "kind": "sign", "zone_id": "zon_1", "claim": claim(&format!("clm_{id}"), value, x)});
    let cell = |id: &str, text: &str| serde_json::json!({"text_id": id, "text": text, "column": 0});
    serde_json::from_value(serde_json::json!({
        "schema_version": "1.1", "kind": "video", "language": "en", "openings": [], "narration": [],
        "measurements": [],
        "media": [{"id": "med_video", "kind": "video", "sha256": "0", "bytes": 1, "width": 1, "height": 1, "has_audio": false}],
        "frames": [{"id": "frm_00001", "media_id": "med_video", "width": 1, "height": 1, "sharpness": 1.0,
            "exposure": 0.5, "hash": "0", "kept_because": "first", "key": ""}],
        "zones": [{"id": "zon_1", "label": "Kitchen", "types": [claim("clm_type", "kitchen", 0.0)], "intervals": [],
            "best_frame_id": "frm_00001", "frame_ids": ["frm_00001"], "attributes": [], "coverage": 1.0}],
        "objects": [{"id": "obj_1", "category": claim("clm_obj", "tv", 0.7), "zone_id": "zon_1",
            "count": {"min": 1, "best": 1, "max": 1}, "sightings": [evidence(0.7)]}],
        "texts": [text("txt_1", "TEA", 0.2), text("txt_2", "3 EUR", 0.4)],
        "boards": [{"id": "brd_1", "claim": claim("clm_board", "TEA\t3 EUR", 0.2),
            "rows": [{"heading": false, "cells": [cell("txt_1", "TEA"), cell("txt_2", "3 EUR")]}]}],
        "facts": [{"id": "fct_1", "kind": "price", "value": "3 EUR", "board_id": "brd_1", "claim": claim("clm_fact", "3 EUR", 0.4)}],
        "privacy": [],
        "relations": [{"id": "rel_1", "kind": "contains", "from_id": "zon_1", "to_id": "obj_1", "claim": claim("clm_rel", "tv in kitchen", 0.7)}],
        "summary": [{"text": "A sign reads TEA.", "claim_ids": ["clm_txt_1"]}, {"text": "There is a TV.", "claim_ids": ["clm_obj"]}],
        "quality": {"blurred": 0.0, "dark": 0.0, "uncovered": [], "warnings": []},
        "runs": [{"id": "run_text", "task": "text", "provider": "packaged", "model": "m", "version": "1", "parameters": {}}],
    }))
    .unwrap()
}

fn correction(target: &str, field: CorrectedField, value: Option<&str>) -> Correction {
    let change = NewCorrection { target_id: target.to_owned(), field, value: value.map(str::to_owned) };
    Correction { id: CorrectionId::new(), change, created_at: Timestamp::now() }
}

fn corrected(target: &str, field: CorrectedField, value: Option<&str>) -> SpaceDocument {
    let mut document = document();
    document.correct(&[correction(target, field, value)]);
    assert_eq!(document.defects(), Vec::<String>::new());
    assert_eq!((document.corrections.len(), document.corrections[0].claim.basis), (1, Basis::User));
    document
}

#[test]
fn a_corrected_zone_has_a_claim_of_the_user() {
    let typed = corrected("zon_1", CorrectedField::Type, Some("laundry room"));
    assert_eq!((typed.zones[0].label.as_str(), typed.zones[0].types.len()), ("Laundry room", 1));
    assert_eq!(
        (typed.zones[0].types[0].basis, typed.corrections[0].found.as_deref()),
        (Basis::User, Some("kitchen"))
    );
    let named = corrected("zon_1", CorrectedField::Name, Some("Anna's corner"));
    assert_eq!(
        (named.zones[0].label.as_str(), named.zones[0].types[0].value.as_str()),
        ("Anna's corner", "kitchen")
    );
    let mut both = document();
    both.correct(&[
        correction("zon_1", CorrectedField::Name, Some("Nook")),
        correction("zon_1", CorrectedField::Type, Some("office")),
    ]);
    assert_eq!((both.zones[0].label.as_str(), both.zones[0].types[0].value.as_str()), ("Nook", "office"));
}

#[test]
fn a_corrected_text_takes_what_was_read_from_it_along() {
    let document = corrected("txt_2", CorrectedField::Text, Some("5 EUR"));
    assert_eq!((document.texts[1].raw.as_str(), document.texts[1].claim.basis), ("5 EUR", Basis::User));
    assert_eq!((document.boards[0].claim.value.as_str(), document.facts.len()), ("TEA\t5 EUR", 0));
    assert_eq!(document.summary.len(), 2, "no sentence cites it");
    let tea = corrected("txt_1", CorrectedField::Text, Some("COFFEE"));
    assert_eq!((tea.summary.len(), tea.facts.len()), (1, 1));
}

#[test]
fn what_is_not_there_disappears_with_all_that_names_it() {
    let document = corrected("obj_1", CorrectedField::Presence, None);
    assert_eq!((document.objects.len(), document.relations.len(), document.summary.len()), (0, 0, 1));
    assert_eq!(
        (document.corrections[0].claim.value.as_str(), document.corrections[0].found.as_deref()),
        ("absent", Some("tv"))
    );
    let without = corrected("txt_1", CorrectedField::Presence, None);
    assert_eq!(
        (without.texts.len(), without.boards.len(), without.facts[0].board_id.as_deref()),
        (1, 0, None)
    );
}

#[test]
fn corrections_of_nothing_change_nothing() {
    let mut same = document();
    same.correct(&[correction("zon_9", CorrectedField::Name, Some("x"))]);
    assert_eq!(same, document());
    let defect = |target: &str, field, value: Option<&str>| {
        correction(target, field, value).change.defect(&document()).map(|(field, _)| field)
    };
    assert_eq!(defect("zon_1", CorrectedField::Type, Some("office")), None);
    assert_eq!(defect("obj_1", CorrectedField::Presence, None), None);
    assert_eq!(defect("obj_9", CorrectedField::Presence, None), Some("target_id"));
    assert_eq!(defect("obj_1", CorrectedField::Type, Some("x")), Some("field"));
    for value in [None, Some(" "), Some("a\nb"), Some("x".repeat(201).as_str())] {
        assert_eq!(defect("txt_1", CorrectedField::Text, value), Some("value"), "{value:?}");
    }
    assert_eq!(defect("txt_1", CorrectedField::Presence, Some("x")), Some("value"));
}
