//! Detects objects with NanoDet. Detections in a single frame are often wrong, so a
//! claim needs detections in several frames.

mod boxes;
mod classes;
mod convert;

use std::path::Path;

use domain::document::{BBox, Provider, Run, Task};
use image::{RgbImage, imageops};
use rten_tensor::{NdTensor, Tensor};

use self::boxes::ScoredBox;
use self::classes::CLASSES;
pub(in crate::models) use self::classes::is_known_class;
use super::network::{Input, Network, Runtime};
use super::resize::resize;
use super::weights::{NANODET, NANODET_MODEL};
use crate::models::{DetectorOutput, ModelError, ObjectDetector};
use crate::observation::{Detection, PERSON};
use crate::signal::Descriptor;

/// Name of the model in errors and runs.
const MODEL: &str = NANODET_MODEL;
/// Width and height of the network's input, in pixels.
const INPUT_SIDE_PX: usize = 416;
/// Name of the network's input.
const INPUT_NODE: &str = "input_1";
/// Stride and output nodes (scores, distances) of each grid.
const GRIDS: [(usize, &str, &str); 3] =
    [(8, "Identity", "Identity_3"), (16, "Identity_1", "Identity_4"), (32, "Identity_2", "Identity_5")];
/// Node whose features describe the whole picture, with its stride and number of channels. Of the
/// concatenated features of the network it separates rooms best (docs/evaluation.md).
const DESCRIPTOR_NODE: (&str, usize, usize) = ("PartitionedCall/onnx_tf_prefix_Concat_27", 8, 128);
/// Number of distance logits per cell.
const DISTANCE_LOGITS: usize = 44;
/// Score from which a box is sure: no rule of a later stage asks for more.
const SURE_SCORE: f32 = 0.75;
/// Share of the least score of a class from which a box is faint and no longer nothing.
const FAINT_SHARE: f32 = 0.7;
/// Mean and standard deviation of blue, green and red in training.
const BGR_MEAN_AND_DEVIATION: [(f32, f32); 3] = [(103.53, 57.375), (116.28, 57.12), (123.675, 58.395)];

/// Detects objects with NanoDet.
pub(super) struct Detector {
    network: Network,
    min_scores: Vec<f32>,
}

impl Detector {
    /// Loads the network after converting it to ONNX.
    pub(super) fn load(models_dir: &Path, runtime: &Runtime) -> Result<Detector, ModelError> {
        let topology = NANODET.read(models_dir, "nanodet.json")?;
        let weights = NANODET.read(models_dir, "nanodet.bin")?;
        let mut outputs: Vec<(&str, Vec<usize>)> = GRIDS
            .iter()
            .flat_map(|&(stride, scores, distances)| {
                let cells = (INPUT_SIDE_PX / stride).pow(2);
                [(scores, vec![1, cells, CLASSES.len()]), (distances, vec![1, cells, DISTANCE_LOGITS])]
            })
            .collect();
        let (node, stride, channels) = DESCRIPTOR_NODE;
        outputs.push((node, vec![1, channels, INPUT_SIDE_PX / stride, INPUT_SIDE_PX / stride]));
        let bytes = convert::convert(
            &topology,
            &weights,
            (INPUT_NODE, &[1, 3, INPUT_SIDE_PX, INPUT_SIDE_PX]),
            &outputs,
        )?;
        Ok(Detector {
            network: Network::load(MODEL, bytes, runtime)?,
            min_scores: CLASSES.iter().map(|(_, min_scores)| min_scores.unwrap_or(f32::INFINITY)).collect(),
        })
    }

    /// Returns the boxes in the mirror image of a resized frame, in pixels of the frame.
    fn find_mirrored(&self, small: &RgbImage) -> Result<Vec<ScoredBox>, ModelError> {
        let mirrored = imageops::flip_horizontal(small);
        let found = self.decode(&self.infer(&mirrored, &self.network.outputs()[..2 * GRIDS.len()])?, 1.0);
        Ok(found.into_iter().map(|found| found.mirrored(small.width() as f32)).collect())
    }

    /// Looks at a resized frame as it is.
    fn look(&self, small: &RgbImage) -> Result<FirstPass, ModelError> {
        let mut outputs = self.infer(small, &self.network.outputs())?;
        let features = outputs.pop().unwrap_or_default();
        let faint = boxes::suppress_overlaps(self.decode(&outputs, FAINT_SHARE));
        Ok(FirstPass {
            found: self.decode(&outputs, 1.0),
            is_unsure: is_unsure(&faint),
            descriptor: descriptor(&features, small),
        })
    }

    /// Returns the boxes whose score reaches this share of the least score of their class.
    fn decode(&self, outputs: &[Vec<f32>], share: f32) -> Vec<ScoredBox> {
        let min_scores: Vec<f32> = self.min_scores.iter().map(|score| score * share).collect();
        let grids = GRIDS.iter().zip(outputs.chunks_exact(2)).flat_map(|(&(stride, ..), outputs)| {
            boxes::decode(&outputs[0], &outputs[1], INPUT_SIDE_PX / stride, stride as f32, &min_scores)
        });
        grids.collect()
    }

    /// Runs the network. Its outputs are the scores and distances of [`GRIDS`] in turn, then the features.
    fn infer(&self, small: &RgbImage, outputs: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let input = Input::Floats(input_tensor(small).into_dyn());
        let outputs = self.network.run(vec![(INPUT_NODE, input)], outputs)?;
        Ok(outputs.into_iter().map(Tensor::into_data).collect())
    }
}

/// What the network says about a frame as it is.
struct FirstPass {
    found: Vec<ScoredBox>,
    /// Whether the mirror image could show more.
    is_unsure: bool,
    descriptor: Option<Descriptor>,
}

/// Returns true if one of the boxes, faint ones included, is less than sure. An empty picture is no reason to
/// doubt.
fn is_unsure(faint: &[ScoredBox]) -> bool {
    faint.iter().any(|found| found.score < SURE_SCORE)
}

/// Averages the features over the part of the network's input that the frame fills.
fn descriptor(features: &[f32], small: &RgbImage) -> Option<Descriptor> {
    let (_, stride, channels) = DESCRIPTOR_NODE;
    let side = INPUT_SIDE_PX / stride;
    let (columns, rows) =
        ((small.width() as usize).div_ceil(stride), (small.height() as usize).div_ceil(stride));
    let mean = |channel: usize| {
        let row = |y: usize| &features[(channel * side + y) * side..][..columns];
        (0..rows).flat_map(row).sum::<f32>() / (rows * columns) as f32
    };
    if features.len() == channels * side * side {
        Descriptor::of(&(0..channels).map(mean).collect::<Vec<f32>>())
    } else {
        None
    }
}

/// Resizes a frame to the network's input, and returns the scale.
fn resized(frame: &RgbImage) -> (RgbImage, f32) {
    let scale = INPUT_SIDE_PX as f32 / frame.width().max(frame.height()) as f32;
    let side = |v: u32| ((v as f32 * scale).round() as u32).clamp(1, INPUT_SIDE_PX as u32);
    let (width, height) = (side(frame.width()), side(frame.height()));
    (resize(frame, width, height), scale)
}

/// Converts a resized frame to the network's input: at the top left, the rest black.
fn input_tensor(small: &RgbImage) -> NdTensor<f32, 4> {
    let side = INPUT_SIDE_PX;
    let mut values = Vec::with_capacity(3 * side * side);
    for (plane, (mean, deviation)) in BGR_MEAN_AND_DEVIATION.into_iter().enumerate() {
        let normalized = |value: u8| (f32::from(value) - mean) / deviation;
        for row in small.rows() {
            values.extend(row.map(|pixel| normalized(pixel[2 - plane])));
            values.resize(values.len().next_multiple_of(side), normalized(0));
        }
        values.resize((plane + 1) * side * side, normalized(0));
    }
    NdTensor::from_data([1, 3, side, side], values)
}

impl ObjectDetector for Detector {
    fn run(&self) -> Run {
        let version = format!("{} {}", NANODET.package, NANODET.version);
        Run {
            weights_sha256: Some(NANODET.digest()),
            parameters: self.network.with_runtime([
                ("side".to_owned(), INPUT_SIDE_PX.to_string()),
                ("looks".to_owned(), "plain, and mirrored where that is unsure".to_owned()),
            ]),
            can_know: CLASSES
                .iter()
                .filter(|class| class.1.is_some() && class.0 != PERSON)
                .map(|class| class.0.to_owned())
                .collect(),
            ..Run::new(Task::Objects, Provider::Packaged, MODEL, version)
        }
    }

    fn detect(&self, frame: &RgbImage) -> Result<DetectorOutput, ModelError> {
        if frame.width() == 0 || frame.height() == 0 {
            return Ok(DetectorOutput::default());
        }
        let (small, scale) = resized(frame);
        let FirstPass { mut found, is_unsure, descriptor } = self.look(&small)?;
        // A second pass over the mirrored frame finds objects that the first one missed.
        if is_unsure {
            found.extend(self.find_mirrored(&small)?);
        }
        let (width, height) = (frame.width() as f32 * scale, frame.height() as f32 * scale);
        let part = |v: f32, of: f32| (f64::from((v / of).clamp(0.0, 1.0)) * 1e4).round() / 1e4;
        let rest = |v: f64| (v * 1e4).round() / 1e4;
        let detections = boxes::suppress_overlaps(found).into_iter().map(|found| {
            let (x, y) = (part(found.left, width), part(found.top, height));
            let (w, h) = (rest(part(found.right, width) - x), rest(part(found.bottom, height) - y));
            let score = f64::from((found.score * 1e3).round() / 1e3);
            Detection { label: CLASSES[found.class].0.to_owned(), score, bbox: BBox { x, y, w, h } }
        });
        let detections = detections.filter(|d| d.bbox.w > 0.0 && d.bbox.h > 0.0).collect();
        Ok(DetectorOutput { detections, descriptor })
    }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use rten_tensor::prelude::*;

    #[test]
    fn the_input_holds_the_frame_at_the_top_left_and_black_elsewhere() {
        let small = RgbImage::from_pixel(416, 33, Rgb([10, 20, 30]));
        let input = input_tensor(&imageops::crop_imm(&small, 0, 0, 40, 33).to_image());
        assert_eq!(input.shape(), [1, 3, 416, 416]);
        for (plane, value) in [30.0_f32, 20.0, 10.0].into_iter().enumerate() {
            let (mean, deviation) = BGR_MEAN_AND_DEVIATION[plane];
            let normalized = |value: f32| (value - mean) / deviation;
            assert!((input[[0, plane, 32, 39]] - normalized(value)).abs() < 1e-6);
            assert!((input[[0, plane, 32, 40]] - normalized(0.0)).abs() < 1e-6);
            assert!((input[[0, plane, 33, 39]] - normalized(0.0)).abs() < 1e-6);
            assert!((input_tensor(&small)[[0, plane, 32, 415]] - normalized(value)).abs() < 1e-6);
        }
    }

    #[test]
    fn only_a_box_that_is_less_than_sure_asks_for_another_look() {
        let at = |score| ScoredBox { class: 0, score, left: 0.0, top: 0.0, right: 9.0, bottom: 9.0 };
        assert!(!is_unsure(&[]));
        assert!(!is_unsure(&[at(0.9), at(SURE_SCORE)]));
        assert!(is_unsure(&[at(0.9), at(0.3)]));
    }
}
