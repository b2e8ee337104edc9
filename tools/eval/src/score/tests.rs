use domain::document::{Basis, Claim, Frame, Interval, Narration, Quality, SpaceDocument, Text, Zone};

use super::*;
use walkgen::truth::{
    self, Object, Passage, Room, Sample, Span, SpokenSentence, VisibleObject, VisibleText, Visit,
};

fn sample(t_ms: u64, room: usize) -> Sample {
    Sample {
        t_ms,
        ordinal: None,
        room,
        view_room: room,
        view_share: 0.9,
        place: [t_ms as f32 / 1000.0, 0.0, 1.5],
        yaw_degrees: 0.0,
        pitch_degrees: 0.0,
        blur_px: 0.5,
        luma: 120.0,
        objects: vec![VisibleObject {
            id: room as u16 + 1,
            pixels: 9000,
            bbox: [0, 0, 100, 100],
            share: 0.9,
        }],
        texts: vec![VisibleText {
            id: room,
            height_px: 30.0,
            bbox: [0.0, 0.0, 100.0, 30.0],
            clear: 1.0,
            contrast: 150,
            readable: true,
        }],
    }
}

/// Ten seconds in room 0, ten in room 1, ten in room 0 again.
fn truth() -> Truth {
    let room = |id, kind: &str| Room {
        id,
        kind: kind.into(),
        name: kind.into(),
        also: Vec::new(),
        alike: None,
        area_m2: 12.0,
        named_by_sign: true,
        named_by_words: false,
        inventory: Vec::new(),
    };
    let visit = |room, start, end| Visit { room, span: Span { start, end } };
    let text = |id: usize, text: &str| truth::Text {
        id,
        text: text.into(),
        object: id as u16 + 1,
        room: id,
        max_height_px: 30.0,
        readable_16: Vec::new(),
        readable_24: Vec::new(),
    };
    let object = |id: u16| Object { id, category: "sign".into(), room: usize::from(id) - 1 };
    Truth {
        kind: "video".into(),
        seed: 1,
        duration_ms: 30_000,
        fps: 30,
        width: 1280,
        height: 720,
        rooms: vec![room(0, "kitchen"), room(1, "living room")],
        visits: vec![visit(0, 0, 10_000), visit(1, 10_000, 20_000), visit(0, 20_000, 30_000)],
        passages: vec![Passage { t_ms: 10_000, from: 0, to: 1 }, Passage { t_ms: 20_000, from: 1, to: 0 }],
        objects: vec![object(1), object(2)],
        texts: vec![text(0, "KITCHEN"), text(1, "FIRE EXIT")],
        narration: vec![SpokenSentence {
            start_ms: 0,
            end_ms: 3000,
            text: "It is twenty three square metres.".into(),
            room: 0,
        }],
        blurred: Vec::new(),
        dark: Vec::new(),
        samples: (0..150).map(|i| sample(i * 200, usize::from((50..100).contains(&i)))).collect(),
    }
}

fn claim(value: &str) -> Claim {
    let (id, run_id) = (format!("clm_{value}"), "run_text".into());
    Claim { id, value: value.into(), confidence: 0.9, basis: Basis::Read, evidence: Vec::new(), run_id }
}

fn zone(id: &str, kind: &str, intervals: &[(u64, u64)]) -> Zone {
    Zone {
        id: id.into(),
        label: id.into(),
        types: vec![claim(kind)],
        intervals: intervals.iter().map(|&(start, end)| Interval { start, end }).collect(),
        best_frame_id: "frm_00000".into(),
        frame_ids: Vec::new(),
        attributes: Vec::new(),
        coverage: 1.0,
    }
}

fn text(raw: &str) -> Text {
    Text {
        id: format!("txt_{raw}"),
        raw: raw.into(),
        normalized: raw.to_lowercase(),
        kind: domain::document::TextKind::Sign,
        zone_id: None,
        claim: claim(raw),
    }
}

fn frame(t_ms: u64) -> Frame {
    Frame {
        id: format!("frm_{t_ms:05}"),
        media_id: "med_video".into(),
        t_ms: Some(t_ms),
        ordinal: None,
        width: 1280,
        height: 720,
        sharpness: 100.0,
        exposure: 0.5,
        hash: "0".repeat(16),
        kept_because: domain::document::KeptBecause::NewView,
        zone_id: None,
        key: String::new(),
        url: None,
    }
}

fn perfect() -> SpaceDocument {
    SpaceDocument {
        schema_version: "1.0".into(),
        kind: domain::media::InputKind::Video,
        language: "en".into(),
        media: Vec::new(),
        frames: vec![frame(3000), frame(15_000)],
        zones: vec![
            zone("a", "kitchen", &[(0, 10_000), (20_000, 30_000)]),
            zone("b", "lounge", &[(10_000, 20_000)]),
        ],
        openings: Vec::new(),
        objects: Vec::new(),
        texts: vec![text("Kitchen"), text("FIRE EX1T")],
        narration: vec![Narration {
            id: "nar_1".into(),
            start_ms: 0,
            end_ms: 3000,
            text: "It is 23 square meters".into(),
            source: domain::document::NarrationSource::Transcribed,
            confidence: 0.9,
            zone_id: None,
            run_id: "run_speech".into(),
        }],
        measurements: Vec::new(),
        boards: Vec::new(),
        facts: Vec::new(),
        privacy: Vec::new(),
        corrections: Vec::new(),
        relations: Vec::new(),
        summary: Vec::new(),
        quality: Quality::default(),
        runs: Vec::new(),
    }
}

#[test]
fn a_right_document_scores_full() {
    let score = compare(&perfect(), &truth());
    let full = [
        score.text_precision,
        score.text_recall,
        score.zone_f1,
        score.boundary_f1,
        score.revisit_recall,
        score.room_type_precision,
        score.room_type_recall,
        score.keyframe_coverage,
    ];
    assert_eq!(full, [Some(1.0); 8], "{score:?}");
    assert_eq!((score.wer, score.duplicate_frames), (Some(0.0), Some(0.0)));
}

#[test]
fn each_mistake_lowers_its_own_metric() {
    let truth = truth();
    let mut document = perfect();
    document.texts = vec![text("KITCHEN"), text("kitchen"), text("SOMETHING ELSE")];
    let texts = compare(&document, &truth);
    assert_eq!((texts.text_precision, texts.text_recall), (Some(2.0 / 3.0), Some(0.5)));
    assert_eq!(texts.details.missed_texts, ["FIRE EXIT"]);
    assert_eq!(texts.details.repeated_texts, ["kitchen"]);

    let mut document = perfect();
    document.zones = vec![
        zone("a", "kitchen", &[(0, 10_000)]),
        zone("b", "bedroom", &[(10_000, 22_000)]),
        zone("c", "kitchen", &[(22_000, 30_000)]),
    ];
    let zones = compare(&document, &truth);
    assert!(zones.zone_f1.unwrap() < 0.75, "{:?}", zones.zone_f1);
    assert_eq!(zones.boundary_f1, Some(0.5));
    assert_eq!(zones.revisit_recall, Some(0.0));
    assert_eq!((zones.room_type_precision, zones.room_type_recall), (Some(2.0 / 3.0), Some(0.5)));

    let mut document = perfect();
    document.narration[0].text = "It is 23 spare meters".into();
    assert_eq!(compare(&document, &truth).wer, Some(0.2));

    let mut document = perfect();
    document.frames = vec![frame(3000), frame(3200)];
    let frames = compare(&document, &truth);
    assert_eq!((frames.duplicate_frames, frames.keyframe_coverage), (Some(0.5), Some(0.5)));
}

#[test]
fn metric_without_anything_to_count_is_none() {
    let mut truth = truth();
    truth.narration.clear();
    truth.visits.truncate(2);
    let mut document = perfect();
    document.texts.clear();
    let score = compare(&document, &truth);
    assert_eq!((score.wer, score.revisit_recall, score.text_precision), (None, None, None));
    assert_eq!(score.text_recall, Some(0.0));
}

#[test]
fn text_of_several_lines_matches_each_of_them() {
    let mut truth = truth();
    truth.texts[1].object = truth.texts[0].object;
    let mut document = perfect();
    document.texts = vec![text("KITCHEN FIRE EXIT")];
    assert_eq!(compare(&document, &truth).text_recall, Some(1.0));
}

#[test]
fn edit_distance() {
    assert_eq!(edits(b"kitten", b"sitting"), 3);
    assert_eq!(edits(b"", b"abc"), 3);
    assert_eq!(edits(b"same", b"same"), 0);
}
