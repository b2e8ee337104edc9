//! Tests the endpoint against a server that speaks the real protocol, including its failures.

#[path = "common/server.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;

use domain::document::{BBox, Provider, Run, Task};
use image::{Rgb, RgbImage};
use perception::models::endpoint::{Endpoint, EndpointSettings, SPEECH_RUN, VISION_RUN};
use perception::models::{ModelError, Models, SpeechRecognizer, TextReader};
use perception::observation::{TextReading, TranscriptSegment};
use perception::observe::{self, FrameFile, ObservedBatch, Transcript};
use perception::{CancelFlag, Settings, enrich, fuse, ingest};
use serde_json::{Value, json};
use server::{Reply, Server};

/// Fallback models: they read the same text in every frame and transcribe the same sentence for
/// every sound.
struct Packaged;

fn run(task: Task) -> Run {
    Run::new(task, Provider::Packaged, "test", "1")
}

impl TextReader for Packaged {
    fn run(&self) -> Run {
        run(Task::Text)
    }
    fn read(&self, _: &RgbImage) -> Result<Vec<TextReading>, ModelError> {
        let bbox = BBox { x: 0.2, y: 0.2, w: 0.2, h: 0.1 };
        Ok(vec![TextReading { text: "PACKAGED".to_owned(), confidence: 0.95, bbox, pixel_height: 30.0 }])
    }
}

impl SpeechRecognizer for Packaged {
    fn run(&self) -> Run {
        run(Task::Speech)
    }
    fn supports_language(&self, language: &str) -> bool {
        language == "en"
    }
    fn transcribe(&self, _: &[f32], _: &dyn Fn(f32)) -> Result<Vec<TranscriptSegment>, ModelError> {
        Ok(vec![TranscriptSegment::transcribed(0, 900, "Packaged.".to_owned(), 0.9, "run_speech")])
    }
}

fn models(server: &Server, change: impl FnOnce(&mut EndpointSettings)) -> Models {
    let mut settings = EndpointSettings {
        base_url: server.base_url.clone(),
        api_key: Some(domain::Secret::new("sk-test")),
        vision_model: Some("seer".to_owned()),
        transcription_model: Some("hearer".to_owned()),
        frames_a_request: 2,
        timeout_seconds: 1,
        prompt_cents_a_million: 100,
        completion_cents_a_million: 400,
        longest_wait_ms: 10,
        ..EndpointSettings::default()
    };
    change(&mut settings);
    Models {
        text: Some(Arc::new(Packaged)),
        speech: Some(Arc::new(Packaged)),
        endpoint: Some(Arc::new(Endpoint::new(&settings).unwrap())),
        ..Models::none()
    }
}

fn pictures(folder: &Path, count: u8) -> Vec<FrameFile> {
    (0..count)
        .map(|i| {
            let path = folder.join(format!("{i}.jpg"));
            RgbImage::from_fn(64, 36, |x, y| Rgb([x as u8 * 3, y as u8 * 5, i * 40])).save(&path).unwrap();
            FrameFile { frame_id: format!("frm_{:05}", i + 1), path }
        })
        .collect()
}

fn observed(models: &Models, count: u8) -> ObservedBatch {
    let folder = tempfile::tempdir().unwrap();
    let files = pictures(folder.path(), count);
    observe::frames(models, &files, &|_| (), &CancelFlag::new()).unwrap()
}

fn texts(batch: &ObservedBatch) -> Vec<&str> {
    batch.frames.iter().flat_map(|f| &f.readings).map(|r| r.text.as_str()).collect()
}

fn codes(batch: &ObservedBatch) -> Vec<&str> {
    batch.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn sends_frames_in_batches_and_assigns_responses_by_id() {
    let server = Server::start(&[Reply::Valid]);
    let batch = observed(&models(&server, |_| ()), 3);
    assert_eq!(texts(&batch), ["FIRE EXIT"; 3]);
    assert!(batch.frames.iter().all(|f| f.run_id.as_deref() == Some(VISION_RUN)));
    assert!(batch.frames.iter().all(|f| f.detections[0].label == "fire extinguisher"));
    assert!(codes(&batch).is_empty());
    let usage = &batch.usage[0];
    assert_eq!((usage.requests, usage.prompt_tokens, usage.completion_tokens), (2, 2000, 100));
    assert_eq!(usage.microcents, 2000 * 100 + 100 * 400);
    let requests = server.requests.lock().unwrap();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].path, "/v1/chat/completions");
    assert_eq!(requests[0].authorization.as_deref(), Some("Bearer sk-test"));
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(body["response_format"]["json_schema"]["strict"], json!(true));
    let picture = body["messages"][1]["content"][1]["image_url"]["url"].as_str().unwrap();
    assert!(picture.starts_with("data:image/jpeg;base64,/9j/"));
}

#[test]
fn falls_back_with_a_warning_on_each_error() {
    let message = |content: &str| json!({ "role": "assistant", "content": content });
    let other = r#"{"frames":[{"frame_id":"frm_99998","texts":[],"things":[]},{"frame_id":"frm_99999","texts":[],"things":[]}]}"#;
    let faults = [
        (Reply::Silence, "ENDPOINT_TIMEOUT", 1),
        (Reply::Status(429, 0), "ENDPOINT_RATE_LIMITED", 3),
        (Reply::Status(503, 0), "ENDPOINT_FAILED", 3),
        (Reply::Status(401, 0), "ENDPOINT_FAILED", 1),
        (Reply::Status(302, 0), "ENDPOINT_FAILED", 1),
        (Reply::Body("<html>"), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Body(r#"{"choices":[]}"#), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Message(message("I see a sofa."), "stop"), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Message(message(other), "stop"), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Message(message(r#"{"frames":["#), "length"), "ENDPOINT_ANSWER_UNUSABLE", 1),
        (Reply::Message(json!({ "content": null, "refusal": "I can't." }), "stop"), "ENDPOINT_REFUSED", 1),
        (Reply::Message(message(""), "content_filter"), "ENDPOINT_REFUSED", 1),
    ];
    for (fault, code, requests) in faults {
        let server = Server::start(std::slice::from_ref(&fault));
        let batch = observed(&models(&server, |_| ()), 2);
        assert_eq!(texts(&batch), ["PACKAGED"; 2], "{fault:?}");
        assert_eq!(codes(&batch), [code], "{fault:?}");
        assert!(batch.frames.iter().all(|f| f.run_id.is_none()), "{fault:?}");
        assert_eq!(server.count(), requests, "{fault:?}");
    }
}

#[test]
fn handles_an_unreachable_and_a_recovering_server() {
    let closed_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(&[Reply::Status(429, 0), Reply::Status(500, 0), Reply::Valid]);
    let unreachable = models(&server, |settings| settings.base_url = format!("http://{closed_port}/v1"));
    assert_eq!(codes(&observed(&unreachable, 1)), ["ENDPOINT_UNREACHABLE"]);
    let batch = observed(&models(&server, |_| ()), 2);
    assert_eq!((texts(&batch), codes(&batch)), (vec!["FIRE EXIT"; 2], Vec::new()));
}

#[test]
fn keeps_the_spending_limit_and_falls_back_beyond_it() {
    let server = Server::start(&[Reply::Valid]);
    // A request costs 0.12 cents here, and at most 4000 tokens × 400 = 1.6 cents.
    let batch = observed(&models(&server, |settings| settings.max_cents_a_batch = 1), 2);
    assert_eq!((server.count(), codes(&batch)), (0, vec!["ENDPOINT_SPENDING_BOUND"]));
    let limited = models(&server, |settings| {
        settings.max_cents_a_batch = 1;
        settings.max_tokens = 2000;
        settings.frames_a_request = 1;
    });
    let batch = observed(&limited, 4);
    assert_eq!(texts(&batch), ["FIRE EXIT", "FIRE EXIT", "PACKAGED", "PACKAGED"]);
    assert_eq!(codes(&batch), ["ENDPOINT_SPENDING_BOUND"]);
    assert!(batch.usage[0].microcents <= 1_000_000);
}

fn transcribed(server: &Server, language: &str) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    let data: Vec<u8> = (0..32_000_u32).flat_map(|i| if i % 40 < 20 { [0, 40] } else { [0, 0xd8] }).collect();
    let mut bytes =
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data".to_vec();
    bytes.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
    bytes.extend(data);
    std::fs::write(&path, bytes).unwrap();
    observe::transcribe(&models(server, |_| ()), &path, language, &|_| (), &CancelFlag::new()).unwrap()
}

#[test]
fn transcribes_any_language_and_falls_back_where_possible() {
    let transcript = transcribed(&Server::start(&[Reply::Valid]), "de");
    assert_eq!(transcript.segments[0].text, "This is the kitchen.");
    assert_eq!((transcript.segments[0].start_ms, transcript.segments[0].run_id.as_str()), (200, SPEECH_RUN));
    assert!(transcript.warnings.is_empty() && transcript.runs.iter().any(|run| run.id == SPEECH_RUN));
    let failed = transcribed(&Server::start(&[Reply::Body("no")]), "en");
    assert_eq!(
        (failed.segments[0].text.as_str(), failed.segments[0].run_id.as_str()),
        ("Packaged.", "run_speech")
    );
    assert_eq!(failed.warnings[0].code, "ENDPOINT_ANSWER_UNUSABLE");
    let untranscribed = transcribed(&Server::start(&[Reply::Status(500, 0)]), "de");
    let codes: Vec<&str> = untranscribed.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!((untranscribed.segments.len(), codes), (0, vec!["ENDPOINT_FAILED", "LANGUAGE_NOT_HEARD"]));
}

#[test]
fn claims_cite_frames_and_name_the_endpoint_run() {
    let (photos, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let paths = [[200, 40, 40], [40, 200, 40], [40, 40, 200]].map(|colour| {
        let path = photos.path().join(format!("{}.jpg", colour[0] + colour[1] / 2));
        RgbImage::from_fn(640, 360, |x, y| Rgb(if (x / 40 + y / 30) % 2 == 0 { colour } else { [230; 3] }))
            .save(&path)
            .unwrap();
        path
    });
    let list: Vec<_> =
        (0..).zip(paths).map(|(ordinal, path)| ingest::PhotoFile { ordinal, t_ms: None, path }).collect();
    let (settings, cancel) = (Settings::default(), CancelFlag::new());
    let ingested = ingest::photos(&list, work.path(), &settings, &|_| (), &cancel).unwrap();
    let files: Vec<_> = ingested
        .files
        .iter()
        .map(|f| FrameFile { frame_id: f.frame_id.clone(), path: work.path().join(&f.file) })
        .collect();
    // The first request succeeds, the second fails.
    let server = Server::start(&[Reply::Valid, Reply::Body("{")]);
    let batch = observe::frames(&models(&server, |_| ()), &files, &|_| (), &cancel).unwrap();
    let fused = fuse::fuse(&ingested, &[batch], &Transcript::default(), &settings, &cancel).unwrap();
    let key = |frame: &str| frame.to_owned();
    let document =
        enrich::enrich(&ingested, &fused, &enrich::DocumentContext { language: "en", frame_key: &key });
    assert!(document.defects().is_empty(), "{:?}", document.defects());
    let run_of = |raw: &str| document.texts.iter().find(|t| t.raw == raw).map(|t| t.claim.run_id.as_str());
    assert_eq!(run_of("FIRE EXIT"), Some(VISION_RUN));
    assert_eq!(run_of("PACKAGED"), Some("run_text"));
    assert!(document.quality.warnings.iter().any(|w| w.code == "ENDPOINT_ANSWER_UNUSABLE"));
    assert_eq!(fused.usage[0].requests, 2, "the request without a usable response is counted, too");
}

#[test]
fn an_invalid_item_is_left_out_alone() {
    let content = r#"{"frames":[
        {"frame_id":"frm_00001","texts":[{"text":"A","box":[0.1,0.1,7,0.1]},{"text":"EXIT","box":[0.1,0.1,0.2,0.1]},{"box":[0,0,1,1]}],
         "things":[{"name":"<script>","box":[0.1,0.1,0.1,0.1]},{"name":"Sofas","box":[0.1,0.5,0.3,0.3]},7]},
        {"frame_id":"frm_99999","texts":[],"things":[]}]}"#;
    let message = json!({ "role": "assistant", "content": content });
    let server = Server::start(&[Reply::Message(message, "stop")]);
    let batch = observed(&models(&server, |_| ()), 2);
    assert_eq!(texts(&batch), ["EXIT", "PACKAGED"], "the packaged models observe the frame that is missing");
    let labels: Vec<&str> = batch.frames[0].detections.iter().map(|d| d.label.as_str()).collect();
    assert_eq!((labels, codes(&batch)), (vec!["couch"], vec!["ENDPOINT_ANSWER_UNUSABLE"]));
}

#[test]
fn a_black_hole_costs_seconds() {
    // Accepts connections and never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", silent.local_addr().unwrap());
    let server = Server::start(&[Reply::Valid]);
    let models = models(&server, |settings| {
        settings.base_url = base_url;
        settings.timeout_seconds = 120;
        settings.frames_a_request = 1;
    });
    let start = std::time::Instant::now();
    let first = observed(&models, 6);
    let second = observed(&models, 6);
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(
        (texts(&first), codes(&first)),
        (vec!["PACKAGED"; 6], vec!["ENDPOINT_TIMEOUT", "ENDPOINT_PAUSED"])
    );
    assert_eq!(codes(&second), ["ENDPOINT_PAUSED"]);
}

#[test]
fn every_try_is_counted() {
    let server = Server::start(&[Reply::Status(500, 0), Reply::Status(429, 0), Reply::Valid]);
    let batch = observed(&models(&server, |_| ()), 2);
    let usage = &batch.usage[0];
    assert_eq!(
        (usage.requests, usage.microcents),
        (3, 1000 * 100 + 50 * 400),
        "refused requests are not billed"
    );
    // The server may have worked on a request that timed out: a full response is assumed.
    let silent =
        observed(&models(&Server::start(&[Reply::Silence]), |settings| settings.max_tokens = 1000), 2);
    assert_eq!((silent.usage[0].requests, silent.usage[0].microcents), (1, 1000 * 400));
}

#[test]
fn refused_parameters_are_replaced_for_this_and_later_requests() {
    for (parameter, reason) in [
        (
            "max_tokens",
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
        ),
        (
            "temperature",
            r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","param":"temperature"}}"#,
        ),
        ("response_format", r#"{"detail":"response_format: Extra inputs are not permitted"}"#),
    ] {
        let server = Server::start(&[Reply::Refuses(parameter, 400, reason)]);
        let batch = observed(&models(&server, |settings| settings.frames_a_request = 1), 2);
        assert_eq!((texts(&batch), codes(&batch)), (vec!["FIRE EXIT"; 2], Vec::new()), "{parameter}");
        let requests = server.requests.lock().unwrap();
        let last: Value = serde_json::from_slice(&requests.last().unwrap().body).unwrap();
        assert!(last.get(parameter).is_none(), "{parameter}");
        let expected = if parameter == "response_format" { 4 } else { 3 };
        assert_eq!(requests.len(), expected, "the second frame needs no further try");
    }
}

/// Describes every frame and finds nothing.
struct Describer;

impl perception::models::ObjectDetector for Describer {
    fn run(&self) -> Run {
        run(Task::Objects)
    }
    fn detect(&self, _: &RgbImage) -> Result<perception::models::DetectorOutput, ModelError> {
        let descriptor = perception::signal::Descriptor::of(&[1.0, 0.5]);
        Ok(perception::models::DetectorOutput { detections: Vec::new(), descriptor })
    }
}

#[test]
fn frames_that_an_endpoint_observes_keep_their_descriptor() {
    let server = Server::start(&[Reply::Valid]);
    let models = Models { objects: Some(Arc::new(Describer)), ..models(&server, |_| ()) };
    let batch = observed(&models, 2);
    assert!(
        batch.frames.iter().all(|f| f.run_id.is_some() && f.descriptor.is_some() && !f.detections.is_empty())
    );
}
