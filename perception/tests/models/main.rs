//! Tests the packaged models on generated pictures and sounds.
//!
//! Tests that need weights use those in the default folder. Without them they print a note and
//! pass, unless `CI` is set: there, setup has fetched the weights, so their absence fails.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod onnxruntime;

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use domain::document::BBox;
use image::{Rgb, RgbImage};
use perception::models::packaged::weights::WEIGHTS;
use perception::models::{Models, Settings};

/// Returns the models of the default folder, loaded once, or `None` if they are missing and not
/// required.
fn models() -> Option<&'static Models> {
    static MODELS: OnceLock<Models> = OnceLock::new();
    let models = MODELS.get_or_init(|| Models::load(&Settings::default()));
    let all_loaded = models.text.is_some()
        && models.speech.is_some()
        && models.objects.is_some()
        && models.furniture.is_some();
    is_set_up(all_loaded, &format!("the weights {:?}", models.absent)).then_some(models)
}

/// Fails if a part that setup installs is missing and required. Returns whether it is there.
fn is_set_up(found: bool, part: &str) -> bool {
    assert!(found || std::env::var_os("CI").is_none(), "not set up: {part}");
    if !found {
        eprintln!("skipped: not set up: {part}");
    }
    found
}

/// Draws a line of text with its baseline's left end at `(x, y)`, `size` pixels from ascent to
/// descent.
fn write(picture: &mut RgbImage, text: &str, size: f32, (x, y): (f32, f32), colour: [u8; 3]) {
    let font = FontRef::try_from_slice(dejavu::sans::bold()).expect("the font of the package");
    let scaled = font.as_scaled(PxScale::from(size));
    let mut pen = x;
    for letter in text.chars() {
        let glyph = scaled.scaled_glyph(letter);
        let id = glyph.id;
        let placed = ab_glyph::Glyph { position: point(pen, y), ..glyph };
        if let Some(outline) = font.outline_glyph(placed) {
            let bounds = outline.px_bounds();
            outline.draw(|dx, dy, share| {
                let (px, py) = (bounds.min.x as i32 + dx as i32, bounds.min.y as i32 + dy as i32);
                if let Some(pixel) = u32::try_from(px)
                    .ok()
                    .zip(u32::try_from(py).ok())
                    .and_then(|(px, py)| picture.get_pixel_mut_checked(px, py))
                {
                    for (value, ink) in pixel.0.iter_mut().zip(colour) {
                        *value = (f32::from(*value) * (1.0 - share) + f32::from(ink) * share) as u8;
                    }
                }
            });
        }
        pen += scaled.h_advance(id);
    }
}

/// A grey wall, slightly lighter at the top.
fn wall() -> RgbImage {
    RgbImage::from_fn(1280, 720, |_, y| {
        Rgb([(220 - y / 12) as u8, (215 - y / 12) as u8, (205 - y / 12) as u8])
    })
}

/// Rotates a frame around its centre.
fn rotated(picture: &RgbImage, degrees: f32) -> RgbImage {
    use imageproc::geometric_transformations::{Border, Interpolation, rotate_about_center};
    rotate_about_center(picture, degrees.to_radians(), Interpolation::Bilinear, Border::Replicate)
}

#[test]
fn missing_weights_become_warnings() {
    let empty = tempfile::tempdir().expect("a folder");
    let models = Models::load(&Settings { models_dir: Some(empty.path().into()), ..Settings::default() });
    assert!(models.text.is_none() && models.speech.is_none() && models.objects.is_none());
    let codes: Vec<&str> = models.absent.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(
        codes,
        ["TEXT_NOT_LOOKED_AT", "SPEECH_NOT_LISTENED_TO", "OBJECTS_NOT_LOOKED_AT", "FURNITURE_NOT_LOOKED_AT"]
    );
    for warning in &models.absent {
        assert!(warning.message.ends_with("its weights are not installed."), "{}", warning.message);
        assert!(!warning.message.contains('/'), "a document names no folder: {}", warning.message);
    }
}

#[test]
fn rejects_weights_with_another_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    for weights in WEIGHTS.iter() {
        std::fs::create_dir(folder.path().join(weights.folder)).expect("a folder");
        for file in &weights.files {
            std::fs::write(folder.path().join(weights.folder).join(file.name), b"not it").expect("a file");
        }
    }
    let models = Models::load(&Settings { models_dir: Some(folder.path().into()), ..Settings::default() });
    assert!(models.text.is_none() && models.speech.is_none() && models.objects.is_none());
    assert_eq!(models.absent.len(), 4);
    for warning in &models.absent {
        assert!(warning.message.ends_with("not the ones that were tested."), "{}", warning.message);
    }
}

#[test]
fn disabled_models_become_warnings() {
    let off = Settings { text: false, speech: false, objects: false, ..Settings::default() };
    let messages: Vec<String> = Models::load(&off).absent.into_iter().map(|w| w.message).collect();
    assert_eq!(messages.len(), 4);
    assert!(messages.iter().all(|m| m.ends_with("it is switched off.")), "{messages:?}");
}

#[test]
fn reads_signs() {
    let Some(reader) = models().and_then(|m| m.text.as_ref()) else { return };
    let mut picture = wall();
    write(&mut picture, "MEETING ROOM 2", 64.0, (120.0, 150.0), [20, 20, 20]);
    write(&mut picture, "Maximum occupancy 12 persons", 34.0, (120.0, 230.0), [20, 30, 90]);
    let readings = reader.read(&picture).expect("readings");
    let texts: Vec<&str> = readings.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(texts, ["MEETING ROOM 2", "Maximum occupancy 12 persons"]);

    let sign = &readings[0];
    assert!(sign.confidence > 0.8, "{sign:?}");
    // Capitals are about 0.63 of the height from ascent to descent.
    assert!((40.0..75.0).contains(&sign.pixel_height), "{sign:?}");
    assert!(
        (sign.bbox.x - 120.0 / 1280.0).abs() < 0.02 && (sign.bbox.y - 108.0 / 720.0).abs() < 0.04,
        "{sign:?}"
    );
    assert_eq!(reader.read(&picture).expect("readings"), readings, "the same picture reads the same");
    assert_eq!(reader.run().weights_sha256.map(|hash| hash.len()), Some(64));
}

#[test]
fn reads_tilted_and_upright_signs() {
    let Some(reader) = models().and_then(|m| m.text.as_ref()) else { return };
    let mut picture = wall();
    write(&mut picture, "Staff Kitchen", 60.0, (420.0, 380.0), [20, 20, 20]);
    for degrees in [-20.0, 12.0, 90.0, -90.0] {
        let texts: Vec<String> =
            reader.read(&rotated(&picture, degrees)).expect("readings").into_iter().map(|r| r.text).collect();
        assert_eq!(texts, ["Staff Kitchen"], "rotated by {degrees}°");
    }
}

#[test]
fn reads_nothing_without_text() {
    let Some(reader) = models().and_then(|m| m.text.as_ref()) else { return };
    let mut state = 7_u32;
    let noise = RgbImage::from_fn(640, 360, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgb([(state >> 24) as u8, (state >> 16) as u8, (state >> 8) as u8])
    });
    for picture in [wall(), noise, RgbImage::new(1, 1), RgbImage::new(0, 0), RgbImage::new(3000, 2)] {
        assert_eq!(reader.read(&picture).expect("readings"), Vec::new(), "{:?}", picture.dimensions());
    }
}

/// Draws a clock on a wall: a white dial with numerals, a dark rim, two hands.
fn hang_clock(picture: &mut RgbImage, (x, y): (f32, f32), radius: f32) {
    for (px, py, pixel) in picture.enumerate_pixels_mut() {
        let (dx, dy) = (px as f32 - x, py as f32 - y);
        let distance = dx.hypot(dy) / radius;
        // Along and across a hand that points at `angle` from the top.
        let hand = |angle: f32, length: f32, width: f32| {
            let (sin, cos) = angle.to_radians().sin_cos();
            (-0.1..length).contains(&((dx * sin - dy * cos) / radius))
                && (dx * cos + dy * sin).abs() / radius < width
        };
        if distance < 1.0 {
            let dark = distance > 0.9 || hand(60.0, 0.7, 0.025) || hand(305.0, 0.5, 0.04);
            *pixel = if dark { Rgb([35, 30, 30]) } else { Rgb([245, 245, 240]) };
        }
    }
    for hour in 1..=12 {
        let (sin, cos) = (hour as f32 * 30.0).to_radians().sin_cos();
        let text = hour.to_string();
        let left = x + 0.74 * radius * sin - 0.06 * radius * text.len() as f32;
        write(picture, &text, 0.22 * radius, (left, y - 0.74 * radius * cos + 0.07 * radius), [20, 20, 20]);
    }
}

#[test]
fn finds_a_clock_on_a_wall() {
    let Some(detector) = models().and_then(|m| m.objects.as_ref()) else { return };
    let mut picture = wall();
    hang_clock(&mut picture, (500.0, 300.0), 110.0);
    let output = detector.detect(&picture).expect("detections");
    let found = &output.detections;
    assert_eq!(found.iter().map(|d| d.label.as_str()).collect::<Vec<_>>(), ["clock"], "{found:?}");
    let expected = BBox { x: 390.0 / 1280.0, y: 190.0 / 720.0, w: 220.0 / 1280.0, h: 220.0 / 720.0 };
    assert!(found[0].bbox.iou(&expected) > 0.8, "{found:?}");
    assert!(detector.run().can_know.contains(&"clock".to_owned()));
    assert_eq!(detector.detect(&picture).expect("detections"), output, "the same picture shows the same");
    let empty = detector.detect(&wall()).expect("detections").descriptor.expect("a descriptor");
    let difference = output.descriptor.expect("a descriptor").difference(&empty).expect("of one network");
    assert!(difference > 0.002, "a wall with a clock is not like an empty one: {difference}");
}

#[test]
fn finds_nothing_on_an_empty_wall() {
    let Some(detector) = models().and_then(|m| m.objects.as_ref()) else { return };
    for picture in [wall(), RgbImage::new(1, 1), RgbImage::new(0, 0), RgbImage::new(3000, 2)] {
        let output = detector.detect(&picture).expect("detections");
        assert_eq!(output.detections, Vec::new(), "{:?}", picture.dimensions());
    }
}

/// Synthesises speech with espeak-ng at 16,000 samples per second, or returns `None` if it is
/// missing and not required.
fn speak(text: &str) -> Option<Vec<f32>> {
    let output =
        match std::process::Command::new("espeak-ng").args(["-v", "en-us", "--stdout", text]).output() {
            Ok(output) if output.status.success() => output.stdout,
            failed => {
                assert!(std::env::var_os("CI").is_none(), "espeak-ng is not set up: {failed:?}");
                eprintln!("skipped: espeak-ng is not there");
                return None;
            }
        };
    let rate = u32::from_le_bytes(output[24..28].try_into().expect("a header")) as f32;
    let (pairs, _) = output[44..].as_chunks::<2>();
    let samples: Vec<f32> = pairs.iter().map(|&p| f32::from(i16::from_le_bytes(p)) / 32768.0).collect();
    let step = rate / 16_000.0;
    Some(
        (0..(samples.len() as f32 / step) as usize)
            .map(|i| {
                let at = i as f32 * step;
                let (before, share) = (at as usize, at.fract());
                let after = samples.get(before + 1).copied().unwrap_or(0.0);
                samples[before] * (1.0 - share) + after * share
            })
            .collect(),
    )
}

/// Splits a text into lower-case words without punctuation.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Word edit distance: the minimum number of words to insert, delete or replace.
fn edits(from: &[String], to: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let best = (diagonal + usize::from(a != b)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[to.len()]
}

#[test]
fn transcribes_speech_with_times() {
    let Some(recognizer) = models().and_then(|m| m.speech.as_ref()) else { return };
    let first = "The sofa on the left is new and the carpet was cleaned last week.";
    let second = "Here is the fire extinguisher next to the emergency exit.";
    let (Some(one), Some(two)) = (speak(first), speak(second)) else { return };
    let silence = vec![0.0; 6 * 16_000];
    let sound = [&silence[..], &one, &silence, &two].concat();

    let shares = std::sync::Mutex::new(Vec::new());
    let segments = recognizer
        .transcribe(&sound, &|share| shares.lock().expect("shares").push(share))
        .expect("a transcript");
    let transcript: String = segments.iter().map(|segment| segment.text.clone() + " ").collect();
    let (expected, found) = (words(&format!("{first} {second}")), words(&transcript));
    let wrong = edits(&expected, &found);
    assert!(wrong * 5 <= expected.len(), "{wrong} of {} words are wrong: {transcript}", expected.len());

    let start_of_second = 12_000 + one.len() as u64 / 16;
    assert!(segments[0].start_ms.abs_diff(6000) < 1000, "{segments:?}");
    let extinguisher =
        segments.iter().find(|segment| segment.text.contains("extinguisher")).expect("the second sentence");
    assert!(extinguisher.start_ms.abs_diff(start_of_second) < 1000, "{segments:?}");
    let sound_ms = sound.len() as u64 / 16;
    assert!(segments.iter().all(|s| s.start_ms < s.end_ms && s.end_ms <= sound_ms + 1));

    let shares = shares.into_inner().expect("shares");
    assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
    assert_eq!(
        recognizer.transcribe(&sound, &|_| ()).expect("again"),
        segments,
        "the same sound gives the same transcript"
    );
}

#[test]
fn transcribes_nothing_in_silence_noise_and_tones() {
    let Some(recognizer) = models().and_then(|m| m.speech.as_ref()) else { return };
    let mut state = 7_u32;
    let noise: Vec<f32> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
    .take(8 * 16_000)
    .collect();
    let second = |i: usize| i as f32 / 16_000.0;
    // Waves of noise, as of a sea, and a beep every other second.
    let waves: Vec<f32> =
        noise.iter().enumerate().map(|(i, v)| 0.3 * v * (0.52 - 0.48 * (4.0 * second(i)).cos())).collect();
    let beeps: Vec<f32> = (0..8 * 16_000)
        .map(|i| if (second(i) as u32).is_multiple_of(2) { 0.2 * (2764.6 * second(i)).sin() } else { 0.0 })
        .collect();
    for (name, sound) in [
        ("no sound", Vec::new()),
        ("silence", vec![0.0; 80_000]),
        ("noise", noise),
        ("waves", waves),
        ("beeps", beeps),
    ] {
        assert_eq!(recognizer.transcribe(&sound, &|_| ()).expect("a transcript"), Vec::new(), "{name}");
    }
}

#[test]
fn supports_english_only() {
    let Some(recognizer) = models().and_then(|m| m.speech.as_ref()) else { return };
    assert!(["en", "en-US", "EN-gb"].iter().all(|language| recognizer.supports_language(language)));
    assert!(
        !["de", "eng", "enx-US", "", "fr-en"].iter().any(|language| recognizer.supports_language(language))
    );
}

#[test]
fn furniture_of_a_bathroom_is_recognized_in_regions() {
    let Some(models) = models() else { return };
    let classifier = models.furniture.as_ref().expect("the classifier");
    let photo = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/eval/data/scenes/dev-family/photo-07.jpg");
    let photo = image::open(photo).expect("a photo of a bathroom").into_rgb8();
    let found = classifier.classify(&photo).expect("a run");
    let labels: Vec<&str> = found.iter().map(|found| found.label.as_str()).collect();
    assert!(labels.contains(&"bathtub"), "{found:?}");
    assert!(!labels.contains(&"oven") && !labels.contains(&"desk"), "{found:?}");
    assert!(found.iter().all(|found| found.score >= 0.3 && found.bbox.x + found.bbox.w <= 1.0001));
    assert_eq!(classifier.classify(&photo).expect("a run"), found, "the same input gives the same output");
    assert!(classifier.classify(&wall()).expect("a run").is_empty(), "a bare wall is no furniture");
}
