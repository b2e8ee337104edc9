//! Documents satisfy their rules for any observations.

use domain::document::{
    BBox, Frame, Interval, KeptBecause, Medium, MediumKind, NarrationSource, Provider, Run, Task,
};
use domain::media::InputKind;
use perception::CancelFlag;
use perception::fuse::fuse;
use perception::ingest::{Ingested, Sample, View};
use perception::observe::{
    Detection, FrameObservation, ObservedBatch, TextReading, Transcript, TranscriptSegment,
};
use perception::signal::{Appearance, Colours, Features, Light, Plane};
use perception::{Settings, enrich};
use proptest::prelude::*;

fn appearance_of(tone: u8) -> Appearance {
    let plane = |value: u8| Plane::new(32, 18, vec![value; 32 * 18]);
    let half = |value: u8| Plane::new(16, 9, vec![value; 16 * 9]);
    Appearance::of(&Colours { y: plane(tone / 2 + 60), u: half(tone), v: half(255 - tone) })
}

fn run(id: &str) -> Run {
    Run::new(Task::from(id.trim_start_matches("run_")), Provider::Packaged, "test", "1")
}

/// Builds samples from tone, usability and whether they are kept.
fn ingested(kind: InputKind, samples: &[(u8, bool, bool)]) -> Ingested {
    let video = kind == InputKind::Video;
    let count = u32::try_from(samples.len()).unwrap();
    let medium = |ordinal: Option<u32>| Medium {
        id: ordinal.map_or_else(|| "med_video".to_owned(), |o| format!("med_photo_{o}")),
        kind: if video { MediumKind::Video } else { MediumKind::Photo },
        ordinal,
        sha256: String::new(),
        bytes: 1,
        width: 640,
        height: 360,
        duration_ms: video.then_some(u64::from(count) * 500),
        fps: None,
        has_audio: video,
        url: None,
    };
    let mut frames = Vec::new();
    let mut all = Vec::new();
    for (ordinal, (tone, usable, kept)) in (0..count).zip(samples) {
        let id = format!("frm_{:05}", frames.len() + 1);
        let (t_ms, ordinal) =
            if video { (Some(u64::from(ordinal) * 500), None) } else { (None, Some(ordinal)) };
        // There is always a first frame.
        let kept = *kept || frames.is_empty();
        if kept {
            frames.push(Frame {
                id: id.clone(),
                media_id: medium(ordinal).id,
                t_ms,
                ordinal,
                width: 640,
                height: 360,
                sharpness: f64::from(*tone),
                exposure: 0.5,
                hash: "0".repeat(16),
                kept_because: KeptBecause::NewView,
                zone_id: None,
                key: String::new(),
                url: None,
            });
        }
        all.push(Sample {
            t_ms,
            ordinal,
            sharpness: 1.0,
            blur: 0.2,
            exposure: 0.5,
            usable: *usable || kept,
            appearance: appearance_of(*tone),
            kept_frame: kept.then_some(id),
            left_out: None,
        });
    }
    let views =
        frames.iter().map(|f| View { frame_id: f.id.clone(), features: Features::default() }).collect();
    let media = if video { vec![medium(None)] } else { (0..count).map(|o| medium(Some(o))).collect() };
    Ingested {
        kind,
        media,
        frames,
        files: Vec::new(),
        views,
        samples: all,
        audio: video.then(|| "audio.wav".to_owned()),
        blurred: 0.2,
        dark: 0.0,
        uncovered: vec![Interval { start: 0, end: 1500 }],
        doorways: Vec::new(),
        thinned: 0,
        run: run("run_frames"),
    }
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("KITCHEN".to_owned()),
        Just("This is the bathroom. It has 12 square metres".to_owned()),
        Just("Here we have the office, 2.4 m high!".to_owned()),
        Just("Tel 030 1234567".to_owned()),
        "\\PC{0,20}",
    ]
}

proptest! {
    #[test]
    fn documents_have_no_defects(
        video: bool,
        samples in prop::collection::vec((any::<u8>(), any::<bool>(), any::<bool>()), 1..60),
        readings in prop::collection::vec((0_usize..70, words(), 0.0_f64..=1.0), 0..20),
        detections in prop::collection::vec((0_usize..70, 0_u8..3, 0.0_f64..=1.0), 0..30),
        sentences in prop::collection::vec((0_u64..40_000, 0_u64..9000, words()), 0..8),
        listed: bool,
    ) {
        let kind = if video { InputKind::Video } else { InputKind::Frames };
        let ingested = ingested(kind, &samples);
        let bbox = BBox { x: 0.2, y: 0.2, w: 0.1, h: 0.1 };
        let mut frames: Vec<FrameObservation> = ingested.frames.iter().map(|f| FrameObservation {
            frame_id: f.id.clone(),
            readings: Vec::new(),
            detections: Vec::new(),
            furniture: Vec::new(),
            light: Light { mean: 0.4, low: 0.1, high: 0.9 },
            colours: vec![("white".to_owned(), 0.5)],
            descriptor: None,
            run_id: None,
        }).collect();
        // A frame of another scan does no harm.
        frames.push(FrameObservation { frame_id: "frm_99999".to_owned(), ..frames[0].clone() });
        let count = frames.len();
        for (at, text, confidence) in readings {
            frames[at % count].readings.push(TextReading { text, confidence, bbox, pixel_height: 30.0 });
        }
        for (at, label, score) in detections {
            frames[at % count].detections.push(Detection { label: format!("thing {label}"), score, bbox });
        }
        let runs = if listed { vec![run("run_light"), run("run_text"), run("run_objects")] } else { Vec::new() };
        let batch = ObservedBatch { frames, runs, ..ObservedBatch::default() };
        let segments = sentences.into_iter().map(|(start_ms, length, text)| TranscriptSegment {
            start_ms, end_ms: start_ms + length, text, confidence: 0.9, source: NarrationSource::Client,
            run_id: "run_speech".to_owned(),
        }).collect();
        let runs = if listed { vec![run("run_speech")] } else { Vec::new() };
        let transcript = Transcript { segments, runs, ..Transcript::default() };
        let fused = fuse(&ingested, &[batch], &transcript, &Settings::default(), &CancelFlag::new()).unwrap();
        let key = |frame: &str| format!("frames/{frame}.jpg");
        let document = enrich::enrich(&ingested, &fused, &enrich::DocumentContext { language: "en", frame_key: &key });
        prop_assert_eq!(document.defects(), Vec::<String>::new());
        prop_assert!(!document.zones.is_empty());
        prop_assert!(document.frames.iter().all(|f| f.zone_id.is_some()));
        prop_assert!(document.measurements.iter().all(|m| !m.claim.evidence.is_empty()));
        // Visits neither overlap nor run backwards.
        let mut intervals: Vec<Interval> = document.zones.iter().flat_map(|z| z.intervals.clone()).collect();
        intervals.sort_by_key(|i| i.start);
        prop_assert!(intervals.windows(2).all(|w| w[0].end <= w[1].start));
        prop_assert!(document.to_bytes().is_ok());
    }
}

#[test]
fn a_label_above_its_secret_is_a_board_and_a_credential() {
    let ingested = ingested(InputKind::Frames, &[(100, true, true)]);
    let reading = |text: &str, y: f64| TextReading {
        text: text.to_owned(),
        confidence: 0.95,
        bbox: BBox { x: 0.3, y, w: 0.2, h: 0.08 },
        pixel_height: 30.0,
    };
    let frames = ingested.frames.iter().map(|frame| FrameObservation {
        frame_id: frame.id.clone(),
        readings: vec![reading("SAFE CODE", 0.3), reading("913755", 0.4)],
        detections: Vec::new(),
        furniture: Vec::new(),
        light: Light { mean: 0.4, low: 0.1, high: 0.9 },
        colours: Vec::new(),
        descriptor: None,
        run_id: None,
    });
    let batch =
        ObservedBatch { frames: frames.collect(), runs: vec![run("run_text")], ..ObservedBatch::default() };
    let fused =
        fuse(&ingested, &[batch], &Transcript::default(), &Settings::default(), &CancelFlag::new()).unwrap();
    let key = |frame: &str| format!("frames/{frame}.jpg");
    let document =
        enrich::enrich(&ingested, &fused, &enrich::DocumentContext { language: "en", frame_key: &key });
    assert_eq!(document.defects(), Vec::<String>::new());
    assert_eq!(document.boards.len(), 1);
    assert_eq!(document.boards[0].claim.value, "SAFE CODE\n913755");
    let secrets: Vec<_> =
        document.facts.iter().filter(|fact| fact.kind == domain::document::FactKind::Credential).collect();
    assert_eq!(secrets.len(), 1);
    assert_eq!((secrets[0].value.as_str(), secrets[0].subject.as_deref()), ("913755", Some("safe code")));
    assert!(document.texts.iter().all(|text| text.kind == domain::document::TextKind::Credential));
    assert_eq!(document.privacy.len(), 1);
    assert!(!document.privacy[0].claim.value.contains("913755"));
    assert!(document.summary.iter().all(|sentence| !sentence.text.contains("913755")));
}

#[test]
fn persons_raise_a_privacy_flag_with_every_frame_and_are_no_objects() {
    let ingested = ingested(InputKind::Frames, &[(100, true, true), (100, true, true), (100, true, true)]);
    let person = |x: f64, score: f64| Detection {
        label: "person".to_owned(),
        score,
        bbox: BBox { x, y: 0.2, w: 0.1, h: 0.5 },
    };
    let found = [vec![person(0.1, 0.7), person(0.6, 0.55)], Vec::new(), vec![person(0.4, 0.62)]];
    let frames = ingested.frames.iter().zip(found).map(|(frame, detections)| FrameObservation {
        frame_id: frame.id.clone(),
        readings: Vec::new(),
        detections,
        furniture: Vec::new(),
        light: Light { mean: 0.4, low: 0.1, high: 0.9 },
        colours: Vec::new(),
        descriptor: None,
        run_id: None,
    });
    let runs = vec![run("run_objects")];
    let batch = ObservedBatch { frames: frames.collect(), runs, ..ObservedBatch::default() };
    let fused =
        fuse(&ingested, &[batch], &Transcript::default(), &Settings::default(), &CancelFlag::new()).unwrap();
    let key = |frame: &str| format!("frames/{frame}.jpg");
    let document =
        enrich::enrich(&ingested, &fused, &enrich::DocumentContext { language: "en", frame_key: &key });
    assert_eq!(document.defects(), Vec::<String>::new());
    assert!(document.objects.is_empty(), "{:?}", document.objects);
    assert!(document.privacy.iter().all(|flag| flag.kind == domain::document::PrivacyKind::Person));
    let evidence: Vec<_> = document.privacy.iter().flat_map(|flag| &flag.claim.evidence).collect();
    let mut seen: Vec<_> = evidence.iter().map(|e| (e.ordinal, e.bbox.map(|b| b.x))).collect();
    seen.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(seen, [(Some(0), Some(0.1)), (Some(0), Some(0.6)), (Some(2), Some(0.4))]);
}

#[test]
fn fusing_stops_when_it_is_cancelled() {
    let ingested = ingested(InputKind::Video, &[(100, true, true), (100, true, true)]);
    let cancel = CancelFlag::new();
    cancel.cancel();
    let stopped = fuse(&ingested, &[], &Transcript::default(), &Settings::default(), &cancel);
    assert!(matches!(stopped, Err(perception::PerceptionError::Cancelled)), "{stopped:?}");
}

#[test]
fn a_thinned_video_has_a_warning() {
    let codes = |thinned: usize| -> Vec<String> {
        let ingested =
            Ingested { thinned, ..ingested(InputKind::Video, &[(100, true, true), (100, true, true)]) };
        let (transcript, cancel) = (Transcript::default(), CancelFlag::new());
        let fused = fuse(&ingested, &[], &transcript, &Settings::default(), &cancel).unwrap();
        let key = |frame: &str| format!("frames/{frame}.jpg");
        let document =
            enrich::enrich(&ingested, &fused, &enrich::DocumentContext { language: "en", frame_key: &key });
        document.quality.warnings.into_iter().map(|warning| warning.code).collect()
    };
    assert!(codes(12).contains(&"FRAMES_THINNED".to_owned()));
    assert!(!codes(0).contains(&"FRAMES_THINNED".to_owned()));
}
