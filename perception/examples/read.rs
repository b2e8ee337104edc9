//! Reads the text in pictures: `cargo run -p perception --example read -- picture.png…`
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
    let longest = std::env::var("LONGEST_SIDE").ok().and_then(|n| n.parse().ok()).unwrap_or(736);
    let models = Models::load(&Settings {
        speech: false,
        objects: false,
        threads,
        runtime,
        text_longest_side: longest,
        ..Settings::default()
    });
    let reader = models.text.ok_or_else(|| format!("{:?}", models.absent))?;
    for path in std::env::args().skip(1) {
        let picture = image::open(&path)?.to_rgb8();
        let start = Instant::now();
        let readings = reader.read(&picture)?;
        println!("{path}: {} lines in {} ms", readings.len(), start.elapsed().as_millis());
        for r in readings {
            println!("  {:.2} {:6.1} px  {:?}  {}", r.confidence, r.pixel_height, r.bbox, r.text);
        }
    }
    Ok(())
}
