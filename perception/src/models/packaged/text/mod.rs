//! Text in pictures: PP-OCRv4, run by rten.
//!
//! A first network finds lines, a second reads each of them. The picture is expected upright; lines may be
//! tilted by up to 45°, and tall ones are also tried turned by a quarter.

mod detect;
mod recognize;
mod strip;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use domain::document::{Provider, Run, Task};
use image::{RgbImage, imageops};
use rayon::prelude::*;
use rten::ThreadPool;

use self::detect::Detector;
use self::recognize::{LINE_HEIGHT, LONGEST_LINE, Line, Recognizer};
use self::strip::{Strip, scaled_to_height};
use super::weights::PPOCR;
use crate::models::{ModelError, Reading, TextReader};

/// What the model is called in errors and runs.
const MODEL: &str = PPOCR.model;
/// Lines read with less confidence than this are not reported.
const LEAST_CONFIDENCE: f32 = 0.5;
/// A line this many times as high as wide may be written from bottom to top or from top to bottom,
const TALL: f32 = 1.5;
/// unless it was read upright with this confidence: a single digit is tall, too.
const UPRIGHT: f32 = 0.9;

/// Reads text with PP-OCRv4.
pub(super) struct Reader {
    detector: Detector,
    recognizer: Recognizer,
    pool: Arc<ThreadPool>,
    longest_side: u32,
}

impl Reader {
    /// Loads both networks.
    pub(super) fn load(models_dir: &Path, threads: usize, longest_side: u32) -> Result<Reader, ModelError> {
        let pool = Arc::new(ThreadPool::with_num_threads(threads));
        let detector = Detector::load(PPOCR.read(models_dir, "det.onnx")?, pool.clone(), longest_side)?;
        let recognizer = Recognizer::load(PPOCR.read(models_dir, "rec.onnx")?, pool.clone())?;
        Ok(Reader { detector, recognizer, pool, longest_side })
    }

    /// Reads one line, and says how high it is in the frame; a tall strip is read in the direction that
    /// reads best.
    fn read_line(&self, frame: &RgbImage, strip: &Strip) -> Result<(Line, f32), ModelError> {
        let cut = strip.cut(frame, LINE_HEIGHT, LONGEST_LINE);
        let mut best = (self.recognizer.read(&cut)?, strip.height());
        if strip.height() >= TALL * strip.width() && best.0.confidence < UPRIGHT {
            // Cut anew at a size from which a quarter turn keeps the detail.
            let long = (LINE_HEIGHT as f32 * strip.height() / strip.width().max(1.0)).ceil() as u32;
            let cut = strip.cut(frame, long.min(LONGEST_LINE), LINE_HEIGHT);
            for turned in [imageops::rotate270(&cut), imageops::rotate90(&cut)] {
                let line = self.recognizer.read(&scaled_to_height(&turned, LINE_HEIGHT, LONGEST_LINE))?;
                if line.confidence > best.0.confidence {
                    best = (line, strip.width());
                }
            }
        }
        Ok(best)
    }
}

impl TextReader for Reader {
    fn run(&self) -> Run {
        Run {
            weights_sha256: Some(PPOCR.digest()),
            parameters: BTreeMap::from([
                ("least_confidence".to_owned(), LEAST_CONFIDENCE.to_string()),
                ("longest_side".to_owned(), self.longest_side.to_string()),
            ]),
            ..Run::new(Task::Text, Provider::Packaged, MODEL, format!("{} {}", PPOCR.package, PPOCR.version))
        }
    }

    fn read(&self, frame: &RgbImage) -> Result<Vec<Reading>, ModelError> {
        if frame.width() == 0 || frame.height() == 0 {
            return Ok(Vec::new());
        }
        let strips = self.detector.find(frame)?;
        let lines: Vec<(Line, f32)> = self
            .pool
            .run(|| strips.par_iter().map(|strip| self.read_line(frame, strip)).collect::<Result<_, _>>())?;
        let readings = strips.iter().zip(lines).filter_map(|(strip, (line, height))| {
            let sure = line.confidence >= LEAST_CONFIDENCE && line.text.contains(char::is_alphanumeric);
            sure.then(|| Reading {
                text: line.text,
                confidence: rounded(line.confidence, 1e3),
                bbox: strip.bbox(frame.width(), frame.height()),
                pixel_height: rounded(height, 10.0),
            })
        });
        Ok(readings.collect())
    }
}

/// Rounded to a part of one, so that the last bits of a sum, which differ between processors, do not
/// reach a document.
fn rounded(value: f32, parts: f32) -> f32 {
    (value * parts).round() / parts
}
