//! Reads text with PP-OCRv4.
//!
//! One network detects lines, another recognises each of them. Pictures must be upright. Lines may
//! be tilted by up to 45°, and tall lines are also tried rotated by 90°.

mod detect;
mod recognize;
mod rotated_rect;

use std::path::Path;

use domain::document::{Provider, Run, Task};
use image::{RgbImage, imageops};
use rayon::prelude::*;

use self::detect::Detector;
use self::recognize::{LINE_HEIGHT_PX, Line, MAX_LINE_WIDTH_PX, Recognizer};
use self::rotated_rect::{RotatedRect, scaled_to_height};
use super::network::Runtime;
use super::weights::{PPOCR, PPOCR_MODEL};
use crate::models::{ModelError, TextReader};
use crate::observation::TextReading;

/// Name of the model in errors and runs.
const MODEL: &str = PPOCR_MODEL;
/// Minimum confidence of a reported line.
const MIN_CONFIDENCE: f32 = 0.5;
/// Ratio of height to width from which a line may be written vertically.
const TALL_MIN_ASPECT_RATIO: f32 = 1.5;
/// Confidence from which a tall line counts as upright and is not tried rotated. Single digits are
/// tall.
const UPRIGHT_MIN_CONFIDENCE: f32 = 0.9;

/// Reads text with PP-OCRv4.
pub(super) struct Reader {
    detector: Detector,
    recognizer: Recognizer,
    runtime: Runtime,
    longest_side: u32,
}

impl Reader {
    /// Loads both networks.
    pub(super) fn load(
        models_dir: &Path,
        runtime: &Runtime,
        longest_side: u32,
    ) -> Result<Reader, ModelError> {
        let detector = Detector::load(PPOCR.read(models_dir, "det.onnx")?, runtime, longest_side)?;
        let recognizer = Recognizer::load(PPOCR.read(models_dir, "rec.onnx")?, runtime)?;
        Ok(Reader { detector, recognizer, runtime: runtime.clone(), longest_side })
    }

    /// Reads one line and returns it with its height in the frame. A tall line is read in the
    /// direction with the highest confidence.
    fn read_line(&self, frame: &RgbImage, rect: &RotatedRect) -> Result<(Line, f32), ModelError> {
        let cut = rect.cut(frame, LINE_HEIGHT_PX, MAX_LINE_WIDTH_PX);
        let mut best = (self.recognizer.read(&cut)?, rect.height());
        if rect.height() >= TALL_MIN_ASPECT_RATIO * rect.width() && best.0.confidence < UPRIGHT_MIN_CONFIDENCE
        {
            // Cuts again at a size that keeps the detail after the rotation.
            let length = (LINE_HEIGHT_PX as f32 * rect.height() / rect.width().max(1.0)).ceil() as u32;
            let cut = rect.cut(frame, length.min(MAX_LINE_WIDTH_PX), LINE_HEIGHT_PX);
            for rotated in [imageops::rotate270(&cut), imageops::rotate90(&cut)] {
                let line =
                    self.recognizer.read(&scaled_to_height(&rotated, LINE_HEIGHT_PX, MAX_LINE_WIDTH_PX))?;
                if line.confidence > best.0.confidence {
                    best = (line, rect.width());
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
            parameters: self.recognizer.network.with_runtime([
                ("least_confidence".to_owned(), MIN_CONFIDENCE.to_string()),
                ("longest_side".to_owned(), self.longest_side.to_string()),
            ]),
            ..Run::new(Task::Text, Provider::Packaged, MODEL, format!("{} {}", PPOCR.package, PPOCR.version))
        }
    }

    fn read(&self, frame: &RgbImage) -> Result<Vec<TextReading>, ModelError> {
        if frame.width() == 0 || frame.height() == 0 {
            return Ok(Vec::new());
        }
        let rects = self.detector.find(frame)?;
        let lines: Vec<(Line, f32)> = self
            .runtime
            .pool()
            .run(|| rects.par_iter().map(|rect| self.read_line(frame, rect)).collect::<Result<_, _>>())?;
        let readings = rects.iter().zip(lines).filter_map(|(rect, (line, height))| {
            let is_reliable = line.confidence >= MIN_CONFIDENCE && line.text.contains(char::is_alphanumeric);
            is_reliable.then(|| TextReading {
                text: line.text,
                confidence: f64::from(rounded(line.confidence, 1e3)),
                bbox: rect.bbox(frame.width(), frame.height()),
                pixel_height: f64::from(rounded(height, 10.0)),
            })
        });
        Ok(readings.collect())
    }
}

/// Rounds a value to multiples of 1 ÷ `parts`. The last bits of a sum differ between processors and
/// must not reach a document.
fn rounded(value: f32, parts: f32) -> f32 {
    (value * parts).round() / parts
}
