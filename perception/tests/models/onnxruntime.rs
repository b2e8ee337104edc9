//! onnxruntime sees what rten sees. Without its library or its hardware the next choice runs the models.

use perception::models::{ExecutionProvider, Models, OnnxruntimeSettings, RuntimeKind, Settings, packaged};

use super::*;

fn settings(onnxruntime: OnnxruntimeSettings) -> Settings {
    Settings { runtime: RuntimeKind::Onnxruntime, onnxruntime, speech: false, ..Settings::default() }
}

/// Returns whether the library is installed. Fails if it is missing and required.
fn is_installed() -> bool {
    let library = OnnxruntimeSettings::default().library_path();
    is_set_up(library.is_file(), &library.display().to_string())
}

/// Returns the runtime that a document names.
fn runtime(models: &Models) -> Option<String> {
    let run = models.text.as_ref().expect("a reader").run();
    run.parameters.get("runtime").cloned()
}

fn signs_and_a_clock() -> RgbImage {
    let mut picture = wall();
    write(&mut picture, "Staff Kitchen", 60.0, (120.0, 150.0), [20, 20, 20]);
    write(&mut picture, "Maximum occupancy 12 persons", 34.0, (120.0, 230.0), [20, 30, 90]);
    hang_clock(&mut picture, (900.0, 400.0), 110.0);
    picture
}

#[test]
fn both_runtimes_see_the_same() {
    let Some(rten) = models().filter(|_| is_installed()) else { return };
    let other = Models::load(&settings(OnnxruntimeSettings::default()));
    assert_eq!((runtime(rten), runtime(&other).as_deref()), (None, Some("onnxruntime (cpu)")));
    let picture = signs_and_a_clock();

    let read = |models: &Models| models.text.as_ref().unwrap().read(&picture).unwrap();
    let (expected, found) = (read(rten), read(&other));
    assert_eq!(expected.len(), 2);
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(found.text, expected.text);
        assert!((found.confidence - expected.confidence).abs() < 0.01, "{found:?}");
        assert!(found.bbox.iou(&expected.bbox) > 0.95, "{found:?}");
    }

    let detect = |models: &Models| models.objects.as_ref().unwrap().detect(&picture).unwrap();
    let (expected, found) = (detect(rten), detect(&other));
    assert_eq!(expected.detections.len(), 1);
    for (expected, found) in expected.detections.iter().zip(&found.detections) {
        assert_eq!(found.label, expected.label);
        assert!((found.score - expected.score).abs() < 0.01, "{found:?}");
        assert!(found.bbox.iou(&expected.bbox) > 0.95, "{found:?}");
    }
    assert_eq!(found.detections.len(), expected.detections.len());
    let difference =
        found.descriptor.unwrap().difference(&expected.descriptor.unwrap()).expect("of one network");
    assert!(difference < 1e-4, "{difference}");

    let classify = |models: &Models| models.furniture.as_ref().unwrap().classify(&picture).unwrap();
    let labels = |models| classify(models).into_iter().map(|found| found.label).collect::<Vec<_>>();
    assert_eq!(labels(&other), labels(rten));
}

#[test]
fn both_runtimes_understand_a_sentence_alike() {
    if models().is_none() || !is_installed() {
        return;
    }
    let texts = ["a kitchen with a large table".to_owned(), "Where is the fire extinguisher?".to_owned()];
    let vectors = |settings: &Settings| {
        let embedder = packaged::embedder(settings).expect("the embeddings");
        embedder.embed(&texts, domain::language::Priority::Background).expect("vectors").0
    };
    let other = vectors(&settings(OnnxruntimeSettings::default()));
    for (expected, found) in vectors(&Settings::default()).iter().zip(&other) {
        let cosine: f32 = expected.iter().zip(found).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.99, "{cosine}");
    }
}

#[test]
fn without_its_library_rten_runs_the_models() {
    let Some(rten) = models() else { return };
    let library = Some("/nowhere/libonnxruntime.so".into());
    let other = Models::load(&settings(OnnxruntimeSettings { library, ..OnnxruntimeSettings::default() }));
    assert_eq!(runtime(&other), None);
    let read = |models: &Models| models.text.as_ref().unwrap().read(&signs_and_a_clock()).unwrap();
    assert_eq!(read(&other), read(rten));
}

#[test]
fn missing_hardware_is_left_out() {
    if models().is_none() || !is_installed() {
        return;
    }
    // The library of the package knows no GPU.
    let execution_providers = vec![ExecutionProvider::Tensorrt, ExecutionProvider::Cuda];
    let settings = settings(OnnxruntimeSettings { execution_providers, ..OnnxruntimeSettings::default() });
    assert_eq!(runtime(&Models::load(&settings)).as_deref(), Some("onnxruntime (cpu)"));
}
