//! Runs all stages on a video or a folder of photos. Prints the Space Document, and on standard
//! error the time of each stage.
//!
//! `cargo run -p perception --example perceive -- MEDIA [--language en] [--no-models] [--work DIR]`
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use perception::models::Models;
use perception::{CancelFlag, Settings, enrich, fuse, ingest, observe};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut media, mut language, mut use_models, mut work) = (None, "en".to_owned(), true, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--language" => language = args.next().ok_or("--language needs a value")?,
            "--no-models" => use_models = false,
            "--work" => work = Some(PathBuf::from(args.next().ok_or("--work needs a folder")?)),
            _ => media = Some(PathBuf::from(arg)),
        }
    }
    let media = media.ok_or("a video or a folder of photos is required")?;
    let work = work.unwrap_or_else(|| std::env::temp_dir().join(format!("perceive-{}", std::process::id())));
    std::fs::create_dir_all(&work)?;
    let settings = Settings::default();
    let cancel = CancelFlag::new();
    let quiet = |_: f32| ();
    let mut stopwatch = Stopwatch(Instant::now());

    let ingested = if media.is_dir() {
        ingest::photos(&photos(&media)?, &work, &settings, &quiet, &cancel)?
    } else {
        ingest::video(&media, &work, &settings, &quiet, &cancel)?
    };
    stopwatch.report("ingest");
    let models = if use_models { Models::load(&settings.models) } else { Models::none() };
    stopwatch.report("load models");
    let files: Vec<_> = ingested
        .files
        .iter()
        .map(|f| observe::FrameFile { frame_id: f.frame_id.clone(), path: work.join(&f.file) })
        .collect();
    let observed = observe::frames(&models, &files, &quiet, &cancel)?;
    stopwatch.report("observe frames");
    let transcript = match &ingested.audio {
        Some(audio) => observe::transcribe(&models, &work.join(audio), &language, &quiet, &cancel)?,
        None => observe::Transcript::default(),
    };
    stopwatch.report("observe sound");
    let fused = fuse::fuse(&ingested, &[observed], &transcript, &settings, &cancel)?;
    stopwatch.report("fuse");
    let key = |frame: &str| format!("frames/{frame}.jpg");
    let document =
        enrich::enrich(&ingested, &fused, &enrich::DocumentContext { language: &language, frame_key: &key });
    stopwatch.report("enrich");
    for defect in document.defects() {
        eprintln!("defect: {defect}");
    }
    std::fs::write(work.join("ingested.json"), serde_json::to_vec(&ingested)?)?;
    std::fs::write(work.join("fused.json"), serde_json::to_vec_pretty(&fused)?)?;
    eprintln!("frames and intermediate results: {}", work.display());
    println!("{}", serde_json::to_string_pretty(&document)?);
    Ok(())
}

struct Stopwatch(Instant);

impl Stopwatch {
    fn report(&mut self, stage: &str) {
        eprintln!("{stage:<16} {:.2} s", self.0.elapsed().as_secs_f64());
        self.0 = Instant::now();
    }
}

fn photos(folder: &Path) -> std::io::Result<Vec<ingest::PhotoFile>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|p| {
        let extension = p.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        ["jpg", "jpeg", "png", "webp"].contains(&extension.as_str())
    });
    paths.sort();
    Ok((0..).zip(paths).map(|(ordinal, path)| ingest::PhotoFile { ordinal, t_ms: None, path }).collect())
}
