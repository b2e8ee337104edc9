//! Things in pictures: NanoDet, run by rten. Hints only: what it says of one frame is often wrong, so a
//! claim needs its agreement over several frames.

mod boxes;
mod classes;
mod convert;
mod onnx;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use domain::document::{BBox, Provider, Run, Task};
use image::{RgbImage, imageops};
use rten::{Model, NodeId, RunOptions, ThreadPool};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use self::boxes::Found;
use self::classes::CLASSES;
use super::weights::NANODET;
use crate::models::{Detection, Looked, ModelError, ObjectDetector};
use crate::signal::Descriptor;

/// What the model is called in errors and runs.
const MODEL: &str = NANODET.model;
/// Width and height of the network's input.
const SIDE: usize = 416;
/// Name of the network's input.
const INPUT: &str = "input_1";
/// For each grid its stride and the nodes that give its scores and distances.
const GRIDS: [(usize, &str, &str); 3] =
    [(8, "Identity", "Identity_3"), (16, "Identity_1", "Identity_4"), (32, "Identity_2", "Identity_5")];
/// The node whose features describe a whole picture, its stride and its channels. Of all that the network concatenates
/// it tells rooms apart best (docs/evaluation.md).
const FEATURES: (&str, usize, usize) = ("PartitionedCall/onnx_tf_prefix_Concat_27", 8, 128);
/// Logits of the distances of a cell.
const DISTANCES: usize = 44;
/// Mean and deviation of blue, green and red in training.
const TRAINING: [(f32, f32); 3] = [(103.53, 57.375), (116.28, 57.12), (123.675, 58.395)];

/// Finds things with NanoDet.
pub(super) struct Detector {
    model: Model,
    input: NodeId,
    outputs: Vec<NodeId>,
    features: NodeId,
    pool: Arc<ThreadPool>,
    least: Vec<f32>,
}

impl Detector {
    /// Loads the network, which is converted in passing.
    pub(super) fn load(models_dir: &Path, threads: usize) -> Result<Detector, ModelError> {
        let topology = NANODET.read(models_dir, "nanodet.json")?;
        let weights = NANODET.read(models_dir, "nanodet.bin")?;
        let mut outputs: Vec<(&str, Vec<usize>)> = GRIDS
            .iter()
            .flat_map(|&(stride, scores, distances)| {
                let cells = (SIDE / stride).pow(2);
                [(scores, vec![1, cells, CLASSES.len()]), (distances, vec![1, cells, DISTANCES])]
            })
            .collect();
        let (node, stride, channels) = FEATURES;
        outputs.push((node, vec![1, channels, SIDE / stride, SIDE / stride]));
        let bytes = convert::convert(&topology, &weights, (INPUT, &[1, 3, SIDE, SIDE]), &outputs)?;
        let model = Model::load(bytes).map_err(|error| ModelError::malformed(MODEL, error))?;
        let (inputs, mut outputs) = (model.input_ids().to_vec(), model.output_ids().to_vec());
        let ([input], Some(features)) = (&inputs[..], outputs.pop()) else {
            return Err(ModelError::malformed(MODEL, "it has not one input"));
        };
        let input = *input;
        Ok(Detector {
            model,
            input,
            outputs,
            features,
            pool: Arc::new(ThreadPool::with_num_threads(threads)),
            least: CLASSES.iter().map(|(_, least)| least.unwrap_or(f32::INFINITY)).collect(),
        })
    }

    /// What the network finds in a reduced frame, in its pixels.
    fn find(&self, small: &RgbImage) -> Result<Vec<Found>, ModelError> {
        Ok(self.found(&self.infer(small, &self.outputs)?))
    }

    /// What it finds, and what the frame is like.
    fn find_and_describe(&self, small: &RgbImage) -> Result<(Vec<Found>, Option<Descriptor>), ModelError> {
        let mut outputs = self.infer(small, &[&self.outputs[..], &[self.features]].concat())?;
        let features = outputs.pop().unwrap_or_default();
        Ok((self.found(&outputs), described(&features, small)))
    }

    fn found(&self, outputs: &[Vec<f32>]) -> Vec<Found> {
        let grids = GRIDS.iter().zip(outputs.chunks_exact(2)).flat_map(|(&(stride, ..), outputs)| {
            boxes::decode(&outputs[0], &outputs[1], SIDE / stride, stride as f32, &self.least)
        });
        grids.collect()
    }

    /// Outputs of the network; [`GRIDS`] come as scores, distances, scores…
    fn infer(&self, small: &RgbImage, outputs: &[NodeId]) -> Result<Vec<Vec<f32>>, ModelError> {
        let failed = |error: &dyn std::fmt::Display| ModelError::failed(MODEL, error);
        let options = RunOptions::default().with_thread_pool(Some(self.pool.clone()));
        let outputs = self
            .model
            .run(vec![(self.input, prepared(small).into())], outputs, Some(options))
            .map_err(|error| failed(&error))?;
        outputs
            .into_iter()
            .map(|output| {
                let output: Tensor<f32> = output.try_into().map_err(|error| failed(&error))?;
                Ok(output.to_vec())
            })
            .collect()
    }
}

/// The features of the part of the network's input that the frame fills, averaged.
fn described(features: &[f32], small: &RgbImage) -> Option<Descriptor> {
    let (_, stride, channels) = FEATURES;
    let side = SIDE / stride;
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

/// A frame as small as the network needs it, and by how much it was scaled.
fn reduced(frame: &RgbImage) -> (RgbImage, f32) {
    let scale = SIDE as f32 / frame.width().max(frame.height()) as f32;
    let side = |v: u32| ((v as f32 * scale).round() as u32).clamp(1, SIDE as u32);
    let (width, height) = (side(frame.width()), side(frame.height()));
    (imageops::resize(frame, width, height, imageops::FilterType::Triangle), scale)
}

/// A reduced frame as the network takes it: whole, in the top left corner, the rest black.
fn prepared(small: &RgbImage) -> NdTensor<f32, 4> {
    NdTensor::from_fn([1, 3, SIDE, SIDE], |[_, plane, y, x]| {
        let value = small.get_pixel_checked(x as u32, y as u32).map_or(0, |pixel| pixel[2 - plane]);
        let (mean, deviation) = TRAINING[plane];
        (f32::from(value) - mean) / deviation
    })
}

impl ObjectDetector for Detector {
    fn run(&self) -> Run {
        let version = format!("{} {}", NANODET.package, NANODET.version);
        Run {
            weights_sha256: Some(NANODET.digest()),
            parameters: BTreeMap::from([
                ("side".to_owned(), SIDE.to_string()),
                ("looks".to_owned(), "plain and mirrored".to_owned()),
            ]),
            can_know: CLASSES
                .iter()
                .filter(|class| class.1.is_some())
                .map(|class| class.0.to_owned())
                .collect(),
            ..Run::new(Task::Objects, Provider::Packaged, MODEL, version)
        }
    }

    fn detect(&self, frame: &RgbImage) -> Result<Looked, ModelError> {
        if frame.width() == 0 || frame.height() == 0 {
            return Ok(Looked::default());
        }
        // What is there is there in a mirror too: a second look for things that the first one doubted.
        let (small, scale) = reduced(frame);
        let (mut found, descriptor) = self.find_and_describe(&small)?;
        let mirrored = self.find(&imageops::flip_horizontal(&small))?;
        found.extend(mirrored.into_iter().map(|found| found.mirrored(small.width() as f32)));
        let (width, height) = (frame.width() as f32 * scale, frame.height() as f32 * scale);
        let part = |v: f32, of: f32| (f64::from((v / of).clamp(0.0, 1.0)) * 1e4).round() / 1e4;
        let rest = |v: f64| (v * 1e4).round() / 1e4;
        let detections = boxes::best(found).into_iter().map(|found| {
            let (x, y) = (part(found.left, width), part(found.top, height));
            let (w, h) = (rest(part(found.right, width) - x), rest(part(found.bottom, height) - y));
            let score = (found.score * 1e3).round() / 1e3;
            Detection { label: CLASSES[found.class].0.to_owned(), score, bbox: BBox { x, y, w, h } }
        });
        let things = detections.filter(|d| d.bbox.w > 0.0 && d.bbox.h > 0.0).collect();
        Ok(Looked { things, descriptor })
    }
}
