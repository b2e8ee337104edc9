//! Transcribes WAV files (16 kHz, mono, 16 bits): `cargo run -p perception --example transcribe --
//! sound.wav…`
#![allow(clippy::print_stdout, reason = "the example prints its result")]
#![allow(clippy::disallowed_methods, reason = "an example has no configuration")]

use std::time::Instant;

use perception::models::{Models, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads = std::env::var("THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let models = Models::load(&Settings { text: false, objects: false, threads, ..Settings::default() });
    let recognizer = models.speech.ok_or_else(|| format!("{:?}", models.absent))?;
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path)?;
        let data = file.windows(4).position(|tag| tag == b"data").ok_or("no data in the file")? + 8;
        let (pairs, _) = file[data..].as_chunks::<2>();
        let sound: Vec<f32> = pairs.iter().map(|&p| f32::from(i16::from_le_bytes(p)) / 32768.0).collect();
        let start = Instant::now();
        let segments = recognizer.transcribe(&sound, &|_| ())?;
        let (elapsed, duration) = (start.elapsed().as_secs_f32(), sound.len() as f32 / 16_000.0);
        println!("{path}: {duration:.1} s in {elapsed:.1} s, real-time factor {:.3}", elapsed / duration);
        for segment in segments {
            println!(
                "  {:6.2} to {:6.2}  {:.2}  {}",
                segment.start_ms as f32 / 1e3,
                segment.end_ms as f32 / 1e3,
                segment.confidence,
                segment.text
            );
        }
    }
    Ok(())
}
