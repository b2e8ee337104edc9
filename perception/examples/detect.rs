//! Detects objects in pictures: `cargo run -p perception --example detect -- picture.jpg…`
#![allow(clippy::print_stdout, reason = "the example prints its result")]
#![allow(clippy::disallowed_methods, reason = "an example has no configuration")]

use std::time::Instant;

use perception::models::{Models, RuntimeKind, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = match std::env::var("RUNTIME").as_deref() {
        Ok("onnxruntime") => RuntimeKind::Onnxruntime,
        _ => RuntimeKind::Rten,
    };
    let threads = std::env::var("THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let models =
        Models::load(&Settings { text: false, speech: false, threads, runtime, ..Settings::default() });
    let detector = models.objects.ok_or_else(|| format!("{:?}", models.absent))?;
    for path in std::env::args().skip(1) {
        let picture = image::open(&path)?.to_rgb8();
        let start = Instant::now();
        let detections = detector.detect(&picture)?.detections;
        println!("{path}: {} objects in {} ms", detections.len(), start.elapsed().as_millis());
        for detection in detections {
            println!("  {:.2}  {:?}  {}", detection.score, detection.bbox, detection.label);
        }
    }
    Ok(())
}
